// The words that two texts have in common, and those in which they differ.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace heed::study {

/// A part of a text, and whether the other text has it, too.
struct TextPart {
  std::string text;
  bool common = true;
  std::size_t words = 1;
};

/// Whether marked_differences() takes the order of words into account. For this it needs memory for
/// a number per pair of words, and does so for at most 16 million pairs.
bool compares_order(const std::vector<std::string>& text, const std::vector<std::string>& other);

/// Returns the words of `text` in order, neighbours of one kind together. Common words are those of
/// a longest common subsequence with `other`. Without compares_order() a word is common as often as
/// `other` has it, wherever that is.
std::vector<TextPart> marked_differences(const std::vector<std::string>& text,
                                         const std::vector<std::string>& other);

}  // namespace heed::study
