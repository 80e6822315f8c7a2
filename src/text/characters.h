// Properties of characters by Unicode, the same on every machine, with or without files of locales.
#pragma once

namespace heed::text {

bool is_letter(char32_t c);

/// Punctuation and symbols of any script: neither letter, digit, space nor control character.
bool is_punctuation(char32_t c);

/// The letter in the other case, or itself where one letter has none: the capital of U+00DF is two.
char32_t to_lower(char32_t c);
char32_t to_upper(char32_t c);

}  // namespace heed::text
