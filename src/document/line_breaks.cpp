#include "document/line_breaks.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "document/lines_of_text.h"
#include "document/token.h"
#include "text/script.h"
#include "text/utf8.h"

namespace heed::document {
namespace {

/// Whether the character is a blank at which a line may end: not one of French before a mark.
bool may_break(char32_t c) {
  return text::is_space(c) && c != U'\u00A0' && c != U'\u2007' && c != U'\u202F';
}

/// Bytes where a line may end and the next begin: at blanks, and between letters of scripts without
/// blanks; not inside inlays, nor where the next line would begin with a marker.
std::vector<ByteRange> possible_breaks(const Segment& segment, const std::string& text,
                                       const std::vector<ByteRange>& inlays) {
  std::vector<ByteRange> out;
  char32_t before = 0;
  auto inlay = inlays.begin();
  text::each_code_point(text, [&](const text::CodePoint& point, std::string_view bytes) {
    const auto at = static_cast<std::size_t>(bytes.data() - text.data());
    while (inlay != inlays.end() && inlay->to <= at) ++inlay;
    const bool is_inlay = inlay != inlays.end() && inlay->from <= at;
    const char32_t now = is_inlay ? U'x' : point.value;
    const std::size_t after = may_break(now) ? at + point.bytes : at;
    // The last of several blanks is a break: a line between two of them would be empty.
    if (after > at && !out.empty() && out.back().to == at && out.back().from < at)
      out.back() = {now == U' ' && before == U' ' ? out.back().from : at, after};
    else if (after > at || has_no_blank_between(before, now))
      out.push_back({at, after});
    before = now;
  });
  std::erase_if(out, [&](const ByteRange& range) {
    return range.from == 0 || range.to == text.size() ||
           (segment.writing.has_markers &&
            marker_bytes(std::string_view(text).substr(range.to)) > 0);
  });
  return out;
}

/// The breaks that a text with so many possible breaks has: all that divide, and the first others.
std::vector<LineBreak> breaks_in(const Segment& segment, std::size_t possible) {
  std::vector<LineBreak> out;
  const auto dividing =
      static_cast<std::size_t>(std::ranges::count(segment.breaks, true, &LineBreak::divides));
  std::size_t others = possible - std::min(possible, dividing);
  for (const LineBreak& one : segment.breaks)
    if (one.divides || (others > 0 && others-- > 0)) out.push_back(one);
  return out;
}

/// The tags with which `most` of the elements around a place, the innermost, begin again there, and
/// those with which they end there.
std::string tags_before(std::size_t from, const std::vector<WrittenElement>& elements,
                        std::size_t most) {
  std::string tags;
  for (auto element = elements.rbegin(); element != elements.rend() && most > 0; ++element)
    if (element->bytes.from < from && from < element->bytes.to) {
      tags.insert(0, element->before);
      --most;
    }
  return tags;
}
std::string tags_after(std::size_t to, const std::vector<WrittenElement>& elements,
                       std::size_t most) {
  std::string tags;
  for (auto element = elements.rbegin(); element != elements.rend() && most > 0; ++element)
    if (element->bytes.from < to && to < element->bytes.to) {
      tags += element->after;
      --most;
    }
  return tags;
}

/// The text over as many cues as its breaks, which all divide, make of it: a part between two of
/// its possible breaks stands in several cues.
std::string with_repeated_parts(const std::vector<LineBreak>& breaks, const std::string& text,
                                const std::vector<ByteRange>& possible,
                                const std::vector<WrittenElement>& elements) {
  std::string out;
  for (std::size_t k = 0; k <= breaks.size(); ++k) {
    const std::size_t part = k * (possible.size() + 1) / (breaks.size() + 1);
    const std::size_t from = part == 0 ? 0 : possible[part - 1].to,
                      to = part == possible.size() ? text.size() : possible[part].from;
    if (k > 0) out += tags_before(from, elements, breaks[k - 1].ended_elements);
    out += text.substr(from, to - from);
    if (k < breaks.size())
      out += tags_after(to, elements, breaks[k].ended_elements) + breaks[k].bytes;
  }
  return out;
}

/// A break where the text has no blank, as between Chinese characters: without the blanks before
/// the end of the line, and without those at the beginning of a string in quotes.
std::string_view without_blanks(std::string_view bytes) {
  constexpr std::string_view kBlanks = " \t";
  bytes.remove_prefix(std::min(bytes.find_first_not_of(kBlanks), bytes.size()));
  const std::string_view front = bytes.substr(0, bytes.find_last_not_of(kBlanks) + 1);
  return front.ends_with('"') ? front : bytes;
}

}  // namespace

bool has_no_blank_between(char32_t before, char32_t after) {
  return text::has_no_blanks(text::script_of(before)) &&
         text::has_no_blanks(text::script_of(after));
}

std::string with_breaks(const Segment& segment, const std::string& text,
                        const std::vector<ByteRange>& inlays,
                        const std::vector<WrittenElement>& elements) {
  if (segment.breaks.empty()) return text;
  const auto possible = possible_breaks(segment, text, inlays);
  const std::vector<LineBreak> breaks = breaks_in(segment, possible.size());
  if (breaks.size() > possible.size()) return with_repeated_parts(breaks, text, possible, elements);
  std::string out;
  std::size_t from = 0, next = 0;
  for (std::size_t k = 0; k < breaks.size(); ++k, ++next) {
    const std::size_t at = breaks[k].at * text.size() / breaks[k].of;
    const auto distance = [&](std::size_t j) {
      return std::max(at, possible[j].from) - std::min(at, possible[j].from);
    };
    // Each break that follows needs a possible break of its own.
    while (next + breaks.size() - k < possible.size() && distance(next + 1) < distance(next))
      ++next;
    const auto& [end, begin] = possible[next];
    out += text.substr(from, end - from);
    const std::size_t ended = breaks[k].ended_elements;
    const bool loses_blanks = end == begin && !breaks[k].divides;
    out += tags_after(end, elements, ended);
    out += loses_blanks ? without_blanks(breaks[k].bytes) : breaks[k].bytes;
    out += tags_before(begin, elements, ended);
    from = begin;
  }
  return out + text.substr(from);
}

}  // namespace heed::document
