// Which words of a text another one has, too. Knows nothing of LibTorch.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace heed::study {

/// A part of a text and whether it stands in the other one, too.
struct TextPart {
  std::string text;
  bool common = true;
  std::size_t words = 1;
};

/// Whether marked_differences() looks at the order of words: it holds a number for each pair of
/// them, at most 16 million.
bool compares_order(const std::vector<std::string>& text, const std::vector<std::string>& other);

/// The words of `text` in order, neighbours of one kind together: common are those of a longest
/// common subsequence with `other`. Without compares_order() a word is common as often as `other`
/// has it, wherever that is.
std::vector<TextPart> marked_differences(const std::vector<std::string>& text,
                                         const std::vector<std::string>& other);

}  // namespace heed::study
