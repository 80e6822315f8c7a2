// Numbers that are written in words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heed::study {

/// The words of a text, in which numbers are looked for.
class NumberWords {
 public:
  explicit NumberWords(std::string_view text);

  /// Whether words of the text may stand for the number `digits` * 10^`zeros`, in one of the
  /// languages that are known: English, German, French, Spanish, Italian, Portuguese, Dutch,
  /// Swedish, Danish, Norwegian, Polish, Russian, Arabic, Persian, Hindi, Chinese and Japanese.
  /// Words that mean a number count as well: "both", "dozen", "century". `digits` has no zeros at
  /// its ends.
  bool may_spell(const std::string& digits, int zeros) const;

 private:
  bool has(std::size_t entry) const;
  bool has_up_to_99(int64_t value) const;

  std::string text_;                // in lower case
  std::vector<std::string> words_;  // runs of letters
};

}  // namespace heed::study
