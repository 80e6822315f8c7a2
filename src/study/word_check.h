// Finds pairs of a corpus whose words do not translate each other, by a lexicon that is learned
// from the corpus itself.
#pragma once

#include <algorithm>
#include <cstddef>
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
  /// Learns from a pair; to be called for each pair before the first is_odd(). The first kLearned
  /// pairs count, or fewer where these have more than kLearnedWordPairs pairs of a source and a
  /// target word. Pairs that are too long do not count.
  void learn(std::string_view source, std::string_view target);
  /// Whether the words of a side explain those of the other (Lexicon::nats()) much worse than in
  /// other pairs: further from the median than kFar times the median distance. Sides of fewer than
  /// kShort words tell nothing, nor do those of more than kLongest: in a long text most words of
  /// the other side belong to other sentences, and work and memory grow with the product of the
  /// lengths.
  bool is_odd(std::string_view source, std::string_view target);

  /// Return how many pairs were learned, and whether kLearnedWordPairs ended the learning.
  std::size_t learned() const { return learned_; }
  bool is_full() const { return word_pairs_ > kLearnedWordPairs; }
  /// Returns for how many pairs is_odd() was called that are too long for it.
  int64_t too_long() const { return too_long_; }

  static constexpr std::size_t kLearned = 200000;
  static constexpr std::size_t kLearnedWordPairs = std::size_t{1} << 28;
  static constexpr std::size_t kLongest = 256;
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
  struct Words {
    std::vector<std::string> source, target;

    bool too_long() const { return std::max(source.size(), target.size()) > kLongest; }
  };
  /// Returns the words of both sides in lower case, without punctuation.
  static Words words_of(std::string_view source, std::string_view target);
  /// Returns the numbers of the words that have one; with `learns` new words get a number.
  static Ids ids_of(const std::vector<std::string>& words, Numbers& numbers, bool learns);

  Numbers source_words_, target_words_;
  std::vector<Ids> sources_, targets_;
  std::size_t learned_ = 0, word_pairs_ = 0;
  int64_t too_long_ = 0;
  std::optional<Direction> forward_, backward_;
};

}  // namespace heed::study
