// How much two lines look like translations of each other: by what a line and its translation have
// in common in all languages, without a dictionary.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace heed::data {

/// What of a line its translation is likely to have, too.
struct LineMarks {
  static constexpr std::size_t kCounts = 5;

  float length = 0;                          // log(1 + code points)
  std::array<uint8_t, kCounts> counts = {};  // its last mark; commas, questions, quotes, brackets
  uint32_t numbers = 0;                      // a bit for each number, by its hash
  uint64_t words = 0;  // the same for the first four letters of words (Simard et al. 1992)

  bool is_empty() const { return length == 0; }
  bool operator==(const LineMarks&) const = default;
};

LineMarks marks_of(std::string_view line);

/// The marks of two lines that are joined by a blank.
LineMarks joined(const LineMarks& first, const LineMarks& second);

/// The log-likelihood ratio of "these lines are a pair" against "they are two lines of the same
/// region of a corpus". Each mark has a table of both probabilities, lengths a normal distribution
/// each (Gale and Church 1993). In a corpus that is sorted by length the second distribution is as
/// narrow as the first, so that lengths tell nothing there, as it should be.
class PairLikeness {
 public:
  /// Line i of `source` and line `partners[i]` of `target` are taken for pairs; lines with a
  /// partner outside of `target` are left out, and so are empty lines. Lines that stand twice in a
  /// row count once.
  PairLikeness(std::span<const LineMarks> source, std::span<const LineMarks> target,
               std::span<const int64_t> partners);

  /// In nats; above 0 for a likely pair.
  float of(const LineMarks& source, const LineMarks& target) const;

 private:
  static constexpr std::size_t kMost = 10;  // values of a mark
  using Table = std::array<std::array<float, kMost>, kMost>;

  struct Observed {
    LineMarks source, target;
  };
  void learn(const std::vector<Observed>& pairs, const std::vector<Observed>& others);

  static constexpr int kSteps = 64;                 // of a length's logarithm, in 1
  static constexpr int kFarthest = 4 * kSteps;      // steps between the lengths of a pair
  std::array<float, 2 * kFarthest + 1> lengths_{};  // by target length - source length
  std::array<Table, LineMarks::kCounts> counts_{};
  std::array<float, kMost> numbers_{}, words_{};  // by how many are in common
};

}  // namespace heed::data
