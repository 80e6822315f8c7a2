#include "text/marks.h"

#include <algorithm>
#include <cstdint>

#include "base/strings.h"
#include "text/characters.h"
#include "text/utf8.h"

namespace heed::text {
namespace {

constexpr std::u32string_view kPairs = U"()[]{}\"“”„‟«»‹›（）［］｛｝「」『』【】《》〈〉〔〕＂";
constexpr std::u32string_view kEmphasis = U"*_~";
constexpr std::u32string_view kStops = U".:;!?…。．：；！？｡؛؟۔।॥።።၊။។։‥︰";

bool is_mark(char32_t c) {
  return is_punctuation(c) && c != kReplacement;
}

std::size_t bytes_of_mark(char32_t c) {
  return encode_utf8(std::u32string(1, c)).size();
}

bool is_apostrophe(char32_t c) {
  return c == U'\'' || c == U'’';
}

/// The bytes of an apostrophe that belongs to a word and so is no mark; 0 for any other mark.
std::size_t bytes_of_word(char32_t mark, char32_t beside) {
  return is_apostrophe(mark) && !is_space(beside) ? bytes_of_mark(mark) : 0;
}

/// Bytes of the marks at the beginning of `text`.
std::size_t first_marks(std::string_view text) {
  std::size_t bytes = 0;
  char32_t last = U' ';
  while (bytes < text.size()) {
    const CodePoint point = code_point_at(text, bytes);
    if (!is_mark(point.value)) return bytes - bytes_of_word(last, point.value);
    last = point.value;
    bytes += point.bytes;
  }
  return bytes;
}

/// Bytes of the marks at the end of `text`.
std::size_t last_marks(std::string_view text) {
  std::size_t begin = text.size();
  char32_t first = U' ';
  while (begin > 0) {
    const char32_t before = value_before(text, begin);
    if (!is_mark(before)) return text.size() - begin - bytes_of_word(first, before);
    first = before;
    begin -= bytes_of_mark(before);
  }
  return text.size();
}

std::string_view without_blanks_behind(std::string_view text) {
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

std::string_view without_blanks_before(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(' '), text.size()));
}

int64_t count_of(std::u32string_view kind, std::string_view text) {
  int64_t count = 0;
  each_code_point(text, [&](const CodePoint& point, std::string_view) {
    count += kind.find(point.value) != std::u32string_view::npos;
  });
  return count;
}

/// Whether `marks` has all marks of `given`, in their order, blanks aside, and no more brackets.
bool has_marks(std::string_view marks, std::string_view given) {
  const std::string_view wanted = trim(given);
  std::size_t at = 0;
  for (const char c : marks) at += at < wanted.size() && c == wanted[at];
  return at == wanted.size() &&
         (wanted.empty() || count_of(kPairs, marks) == count_of(kPairs, wanted));
}

}  // namespace

EdgeMarks edge_marks(std::string_view fragment, bool follows, bool precedes) {
  EdgeMarks marks;
  if (const std::size_t bytes = follows ? first_marks(fragment) : 0; bytes > 0) {
    const std::string_view words = without_blanks_before(fragment.substr(bytes));
    marks.front = fragment.substr(0, fragment.size() - words.size());
    fragment = words;
  } else if (follows && !fragment.empty() && is_apostrophe(code_point_at(fragment, 0).value)) {
    marks.front = " ";
  }
  if (const std::size_t bytes = precedes ? last_marks(fragment) : 0; bytes > 0)
    marks.back =
        fragment.substr(without_blanks_behind(fragment.substr(0, fragment.size() - bytes)).size());
  else if (precedes && is_apostrophe(value_before(fragment, fragment.size())))
    marks.back = " ";
  return marks;
}

std::string with_marks(const EdgeMarks& marks, const std::string& translation) {
  std::string_view words = translation, front, back;
  // An apostrophe in the translation that belongs to a word stands directly beside the markup.
  const auto lacks = [](std::string_view found, std::string_view wanted, char32_t beside) {
    return wanted == " " ? found.empty() && !is_apostrophe(beside) : !has_marks(found, wanted);
  };
  if (const std::size_t bytes = first_marks(words);
      lacks(words.substr(0, bytes), marks.front, code_point_at(words, 0).value)) {
    front = marks.front;
    words = without_blanks_before(words.substr(bytes));
  }
  if (const std::size_t bytes = last_marks(words);
      lacks(words.substr(words.size() - bytes), marks.back, value_before(words, words.size()))) {
    back = marks.back;
    words = without_blanks_behind(words.substr(0, words.size() - bytes));
  }
  return std::string(front) + std::string(words) + std::string(back);
}

MarkCounts count_marks(std::string_view text) {
  return {count_of(kPairs, text), count_of(kEmphasis, text), count_of(kStops, text)};
}

}  // namespace heed::text
