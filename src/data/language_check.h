// Finds lines of a corpus that are not in the language of their file, by character trigrams that
// are learned from both files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heed::data {

/// P(c | a b) of characters by interpolated counts (Witten and Bell 1991), in lower case, blanks
/// tidied.
class CharacterModel {
 public:
  void learn(std::string_view line);
  /// The mean of -log P over the line's characters and its end; 0 for a blank line.
  double nats(std::string_view line) const;

 private:
  struct ContextCounts {
    int64_t total = 0, kinds = 0;  // characters after the context, and different ones
  };
  std::unordered_map<uint64_t, int64_t> counts_;          // counts of one, two and three characters
  std::unordered_map<uint64_t, ContextCounts> contexts_;  // contexts of no, one and two characters
};

class LanguageCheck {
 public:
  /// Learns from a pair. All pairs are learned before the first is_odd().
  void learn(std::string_view source, std::string_view target);
  /// Whether a side is likelier to be of the other file's language, or unlike nearly all lines of
  /// its own file: further from the median than kFar times the median distance. Lines of fewer than
  /// kShort characters are never odd.
  bool is_odd(std::string_view source, std::string_view target);

  static constexpr double kFar = 6;
  static constexpr int64_t kShort = 12;

 private:
  struct Side {
    CharacterModel model;
    std::vector<std::string> sample;
    double limit = 0;  // nats a character
    void set_limit();
  };
  static bool is_odd(std::string_view line, const Side& own, const Side& other);

  Side source_, target_;
  int64_t pairs_ = 0;
  bool ready_ = false;
};

}  // namespace heed::data
