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

  /// Whether words of the text may stand for parts of which so many are a whole: halves, quarters.
  bool may_spell_part(int denominator) const;

 private:
  bool has(std::size_t entry) const;
  /// Whether the text has one of these words, or begins one with what a `*` follows.
  bool has_one_of(std::string_view list) const;
  /// Whether words of both entries are there, or one word that has both, as "doscientos" has those
  /// of 100 and of 2.
  bool has_both(std::size_t larger, std::size_t smaller) const;
  /// Whether the text has a word of the entry, of so many letters or more, also inside of others.
  static bool has_inside(std::string_view text, std::size_t entry, int64_t least);
  bool has_up_to_99(int64_t value) const;

  std::string text_;                // in lower case
  std::vector<std::string> words_;  // runs of letters
};

}  // namespace heed::study
