// Which pairs of a corpus have words that are no translations of each other, as the corpus itself
// shows it. Torch-free.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "study/lexicon.h"

namespace heed::study {

class WordCheck {
 public:
  /// Of each pair, before the first is_odd(); the first kLearned count.
  void learn(std::string_view source, std::string_view target);
  /// Whether the words of a side explain those of the other (Lexicon::nats()) much worse than in
  /// other pairs: further from the median than kFar times the median distance. Sides of fewer than
  /// kShort words tell nothing.
  bool is_odd(std::string_view source, std::string_view target);

  static constexpr std::size_t kLearned = 200000;
  static constexpr double kFar = 4;
  static constexpr std::size_t kShort = 3;

 private:
  /// A lexicon from one side to the other.
  struct Direction {
    Direction(const std::vector<Ids>& from, const std::vector<Ids>& to, std::size_t words);
    Lexicon lexicon;
    double limit = 0;  // nats
  };
  using Numbers = std::unordered_map<std::string, int32_t>;
  /// Those that have a number; with `learns` all.
  static Ids words_of(std::string_view line, Numbers& numbers, bool learns);

  Numbers source_words_, target_words_;
  std::vector<Ids> sources_, targets_;
  std::optional<Direction> forward_, backward_;
};

}  // namespace heed::study
