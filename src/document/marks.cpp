#include "document/marks.h"

#include <algorithm>
#include <string>

#include "text/characters.h"
#include "text/utf8.h"

namespace heed::document {
namespace {

constexpr std::u32string_view kOpenBrackets = U"([{“„«‹（［｛「『【《〈〔",
                              kCloseBrackets = U")]}”»›）］｝」』】》〉〕",
                              kStops = U".:;!?…。．：；！？｡؛؟۔।॥།။၊။។։‥︰";

bool is_mark(char32_t c) {
  return text::is_punctuation(c) && c != text::kReplacement;
}

std::size_t bytes_of_mark(char32_t c) {
  return text::encode_utf8(std::u32string(1, c)).size();
}

/// Bytes of the characters at the end of `text` that are all such.
template <class IsSuch>
std::size_t last_bytes(std::string_view text, const IsSuch& is_such) {
  std::size_t begin = text.size();
  while (begin > 0) {
    const char32_t before = text::value_before(text, begin);
    if (!is_such(before)) break;
    begin -= bytes_of_mark(before);
  }
  return text.size() - begin;
}

}  // namespace

std::size_t first_marks(std::string_view text) {
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    const text::CodePoint point = text::code_point_at(text, bytes);
    if (!is_mark(point.value)) break;
    bytes += point.bytes;
  }
  return bytes;
}

std::size_t last_marks(std::string_view text) {
  return last_bytes(text, is_mark);
}

std::size_t last_stops(std::string_view text) {
  return last_bytes(text, [](char32_t c) { return kStops.find(c) != kStops.npos; });
}

bool opens_bracket(char32_t c) {
  return kOpenBrackets.find(c) != std::u32string_view::npos;
}

LostMarks::MarkGroup LostMarks::group_of(char32_t c) {
  const auto is_any = [&](std::u32string_view marks) { return marks.find(c) != marks.npos; };
  return is_any(kStops)           ? stop
         : is_any(kOpenBrackets)  ? opens
         : is_any(kCloseBrackets) ? closes
                                  : other;
}

LostMarks::LostMarks(std::string_view source, std::string_view translation) {
  const auto add = [&](std::string_view text, int64_t step) {
    text::each_code_point(text, [&](const text::CodePoint& point, std::string_view) {
      counts_[group_of(point.value)] += step;
    });
  };
  add(source, 1);
  add(translation, -1);
  // A translation without the pair is whole, too.
  const int64_t pairs = std::max<int64_t>(0, std::min(counts_[opens], counts_[closes]));
  counts_[opens] -= pairs;
  counts_[closes] -= pairs;
  counts_[other] = 0;
}

bool LostMarks::find(char32_t mark) {
  int64_t& count = counts_[group_of(mark)];
  if (count <= 0) return false;
  --count;
  return true;
}

std::string_view LostMarks::first_of(std::string_view marks) {
  std::size_t end = 0;
  while (end < marks.size()) {
    const text::CodePoint point = text::code_point_at(marks, end);
    if (!find(point.value)) break;
    end += point.bytes;
  }
  return marks.substr(0, end);
}

std::string_view LostMarks::last_of(std::string_view marks) {
  std::size_t begin = marks.size();
  while (begin > 0) {
    const char32_t mark = text::value_before(marks, begin);
    if (!find(mark)) break;
    begin -= bytes_of_mark(mark);
  }
  return marks.substr(begin);
}

}  // namespace heed::document
