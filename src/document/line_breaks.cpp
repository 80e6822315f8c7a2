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
    const std::size_t after = text::is_space(now) ? at + point.bytes : at;
    if ((after > at || has_no_blank_between(before, now)) &&
        !(segment.writing.has_markers && marker_bytes(std::string_view(text).substr(after)) > 0))
      out.push_back({at, after});
    before = now;
  });
  return out;
}

}  // namespace

bool has_no_blank_between(char32_t before, char32_t after) {
  return text::has_no_blanks(text::script_of(before)) &&
         text::has_no_blanks(text::script_of(after));
}

std::string with_breaks(const Segment& segment, const std::string& text,
                        const std::vector<ByteRange>& inlays) {
  const std::vector<LineBreak>& breaks = segment.breaks;
  if (breaks.empty()) return text;
  const auto possible = possible_breaks(segment, text, inlays);
  const std::size_t count = std::min(breaks.size(), possible.size());
  std::string out;
  std::size_t from = 0, next = 0;
  for (std::size_t k = 0; k < count; ++k, ++next) {
    const std::size_t at = breaks[k].at * text.size() / breaks[k].of;
    const auto distance = [&](std::size_t j) {
      return std::max(at, possible[j].from) - std::min(at, possible[j].from);
    };
    // Each break that follows needs a possible break of its own.
    while (next + count - k < possible.size() && distance(next + 1) < distance(next)) ++next;
    out += text.substr(from, possible[next].from - from) + breaks[k].bytes;
    from = possible[next].to;
  }
  return out + text.substr(from);
}

}  // namespace heed::document
