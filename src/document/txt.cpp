// Plain text.
#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "document/format.h"
#include "document/lines_of_text.h"
#include "document/passage.h"
#include "document/plain_lines.h"
#include "document/subtitles.h"
#include "document/template_branches.h"
#include "document/templates.h"
#include "document/token.h"
#include "text/characters.h"
#include "text/subtitle_times.h"
#include "text/utf8.h"

namespace heed::document {
namespace {

/// Whether the line is like one of the head of a mail: "Subject: the meeting".
bool is_field(std::string_view line) {
  constexpr std::size_t kLongestName = 40;  // bytes
  const std::size_t colon = line.find(": ");
  if (colon == line.npos || colon == 0 || colon > kLongestName) return false;
  const char32_t first = text::code_point_at(line, 0).value;
  return text::to_lower(first) != first &&
         !text::any_code_point(line.substr(0, colon), [](const text::CodePoint& point) {
           return point.value != U' ' && point.value != U'-' && !text::is_letter(point.value);
         });
}

/// The paragraphs and items of lists of a plain text. Of two fields in a row each is a paragraph. A
/// line that is much shorter than the widest of the document did not end for want of room, so it
/// ends its paragraph. Code and drawn tables are not read (plain_lines()).
std::vector<LinesOfText> lines_of_plain(std::string_view bytes) {
  LineByLine document(bytes);
  std::size_t width = 0;
  for (std::size_t i = 0; i < document.count(); ++i)
    width = std::max(width, std::min<std::size_t>(document.line(i).size(), 60));
  const std::vector<PlainLine> kinds = plain_lines(document);
  LinePrefix before;
  LetterBullets letters;
  std::size_t end_of_template = 0;  // of the last one with lines of its own
  for (std::size_t i = 0; i < document.count(); ++i) {
    const std::string_view line = document.line(i);
    const std::size_t bullet = letters.bytes_of(line);
    const std::size_t indent = after_run(line, " \t");
    const auto at = static_cast<std::size_t>(line.data() - bytes.data()) + indent;
    if (indent < line.size() && line[indent] == '{')
      end_of_template = std::max(end_of_template, at + bytes_of_template_block(bytes, at));
    if (kinds[i].stays || is_line_of_statements(line) || at < end_of_template) {
      document.end();
      for (const ByteRange& part : kinds[i].parts) {
        document.add(i, part.from, part.to);
        document.end();
      }
      before = {};
      continue;
    }
    if (const ByteRange& framed = kinds[i].framed; !framed.is_empty()) {
      const std::size_t inside = trim(line.substr(framed.from, framed.to - framed.from)).size();
      if (inside > 0) document.add(i, framed.from, framed.to);
      if (3 * inside < 2 * (framed.to - framed.from)) document.end();
      before = {};
      continue;
    }
    LinePrefix prefix = prefix_of(line, document.has_text() && !before.is_item);
    if (bullet > 0) {
      prefix.bytes = bullet;
      prefix.is_item = true;
    }
    if (prefix.is_item || prefix.quotes != before.quotes ||
        (prefix.indent > before.indent && !before.is_item) || text::is_blank(line))
      document.end();
    if (!text::is_blank(line)) document.add(i, prefix.bytes, line.size());
    const bool is_last = i + 1 == document.count();
    if (3 * line.size() < 2 * width ||
        (!is_last && is_field(line) && is_field(document.line(i + 1))))
      document.end();
    before = prefix;
  }
  return document.result();
}

}  // namespace

Passages read_txt(std::string_view bytes, const ReadOptions& /*options*/) {
  expect_subtitles(bytes, text::SubtitleKind::none);
  Passages out = passages_of(bytes, lines_of_plain(bytes), template_tokens, /*has_markers=*/true);
  for (Passage& passage : out) join_branches(bytes, passage);
  return out;
}

}  // namespace heed::document
