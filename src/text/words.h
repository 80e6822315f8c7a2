// Finds the words of a text: for counting, for aligning, and for tables by length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed::text {

/// Whether the text has more than blanks and punctuation (is_punctuation()).
bool has_words(std::string_view text);

/// Whether the text has a letter of any script.
bool has_letters(std::string_view text);

using WordSet = std::set<std::string, std::less<>>;

/// Words between ASCII blanks, as lists in the code have them.
WordSet word_set(std::string_view text);

/// Whether the text is written without blanks between its words: it has letters of scripts that
/// have none (has_no_blanks()), and blanks between fewer than a tenth of them. A text whose words
/// were separated by blanks is not.
bool is_unsegmented(std::string_view text);

/// Whether more than half of the lines that are not blank are written together.
bool are_unsegmented(std::span<const std::string> lines);

/// The words of a text: the strings that blanks (is_space()) separate. In a text that is written
/// together each letter of such a script, as a code point, is a word by itself, and so is each run
/// of other characters between them.
std::vector<std::string> words_in(std::string_view text);

/// Returns the number of words that words_in() finds.
int64_t count_words(std::string_view text);

/// The words of a text that comes in consecutive parts, and which of them each part has characters
/// of, from `first` to `last`. A part of blanks belongs to the word after it; words.size() where
/// there is none.
struct WordsOfParts {
  std::vector<std::string> words;
  std::vector<std::size_t> first, last;  // by part
};
WordsOfParts words_of_parts(const std::vector<std::string>& parts);

}  // namespace heed::text
