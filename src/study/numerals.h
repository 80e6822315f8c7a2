// Numbers that are written in letters: Roman ones, and Chinese ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace heed::study {

/// The value of a letter of Roman numbers; 0 for any other character.
int roman_digit(char32_t c);

/// Returns the value of a Roman number; 0 where the word is none.
int roman_value(const std::string& word);

/// Whether a number of chinese_value() may have the character.
bool is_chinese_number(char32_t c);

/// Returns the value of a number of Chinese digits (〇一二三四五六七八九), written as in decimal
/// notation or with powers of ten after them (十百千 and 万億).
std::optional<int64_t> chinese_value(const std::u32string& letters);

}  // namespace heed::study
