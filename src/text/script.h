// The script of a letter.
#pragma once

namespace heed::text {

/// Scripts of Unicode. Chinese and Japanese characters are one script here, for Japanese mixes its
/// three.
enum class Script {
  none,  // digits, punctuation, spaces, symbols, and letters of scripts that are not listed
  latin,
  greek,
  cyrillic,
  armenian,
  hebrew,
  arabic,
  devanagari,
  bengali,
  gurmukhi,
  gujarati,
  oriya,
  tamil,
  telugu,
  kannada,
  malayalam,
  sinhala,
  thai,
  lao,
  tibetan,
  burmese,
  georgian,
  ethiopic,
  khmer,
  hangul,
  han_and_kana,
  other,  // Syriac, Thaana, N'Ko, Cherokee, Canadian syllabics, Mongolian, Tifinagh
};
inline constexpr int kScripts = static_cast<int>(Script::other) + 1;

Script script_of(char32_t c);

/// Whether the character forms one word with a letter beside it. Letters of scripts without blanks
/// are words of their own.
bool is_in_word(char32_t c);

/// Whether words of the script follow each other without blanks: Chinese, Japanese, Thai, Lao,
/// Khmer, Burmese and Tibetan.
bool has_no_blanks(Script script);

/// "Latin", "Chinese or Japanese", "another script"; "no script" for none.
const char* name_of(Script script);

}  // namespace heed::text
