#include "study/comparison.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>

#include "text/script.h"
#include "text/utf8.h"

namespace heed::study {
namespace {

/// Whether the word is a single character of a script that puts no blanks between words.
bool is_letter_by_itself(const std::string& word) {
  const text::CodePoint point = text::code_point_at(word, 0);
  return point.bytes == word.size() && text::has_no_blanks(text::script_of(point.value));
}

/// Whether each word of `text` is one of a longest common subsequence.
std::vector<bool> common_in_order(const std::vector<std::string>& text,
                                  const std::vector<std::string>& other) {
  std::vector<int> lengths((text.size() + 1) * (other.size() + 1));
  /// Returns the length of a longest common subsequence of the words from i on and the other words
  /// from j on.
  const auto longest = [&](std::size_t i, std::size_t j) -> int& {
    return lengths[i * (other.size() + 1) + j];
  };
  for (std::size_t i = text.size(); i-- > 0;)
    for (std::size_t j = other.size(); j-- > 0;)
      longest(i, j) = text[i] == other[j] ? longest(i + 1, j + 1) + 1
                                          : std::max(longest(i + 1, j), longest(i, j + 1));
  std::vector<bool> common(text.size());
  for (std::size_t i = 0, j = 0; i < text.size() && j < other.size();) {
    common[i] = text[i] == other[j];
    if (common[i]) {
      ++i, ++j;
    } else if (longest(i, j + 1) >= longest(i + 1, j)) {
      ++j;
    } else {
      ++i;
    }
  }
  return common;
}

std::vector<bool> common_anywhere(const std::vector<std::string>& text,
                                  const std::vector<std::string>& other) {
  std::map<std::string, int64_t> left;
  for (const std::string& word : other) ++left[word];
  std::vector<bool> common;
  for (const std::string& word : text) {
    const auto found = left.find(word);
    common.push_back(found != left.end() && found->second-- > 0);
  }
  return common;
}

}  // namespace

bool compares_order(const std::vector<std::string>& text, const std::vector<std::string>& other) {
  constexpr std::size_t kMostPairs = 4000 * 4000;
  return other.empty() || text.size() <= kMostPairs / other.size();
}

std::vector<TextPart> marked_differences(const std::vector<std::string>& text,
                                         const std::vector<std::string>& other) {
  const std::vector<bool> common =
      compares_order(text, other) ? common_in_order(text, other) : common_anywhere(text, other);
  std::vector<TextPart> parts;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == 0 || parts.back().common != common[i]) {
      parts.push_back({text[i], common[i]});
    } else {
      const bool together = is_letter_by_itself(text[i - 1]) || is_letter_by_itself(text[i]);
      parts.back().text += (together ? "" : " ") + text[i];
      ++parts.back().words;
    }
  }
  return parts;
}

}  // namespace heed::study
