#include "document/markup.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "document/kept_tokens.h"
#include "document/segment_builder.h"
#include "document/token.h"
#include "text/characters.h"
#include "text/kept.h"
#include "text/references.h"
#include "text/utf8.h"
#include "text/words.h"

namespace heed::document {
namespace {

/// Bytes of the blank at this end of the text, or 0.
std::size_t blank_at(std::string_view text, bool front) {
  for (const std::string_view blank : {" ", "\t", "\n", "\r", "\f", "&nbsp;", "\u00A0"})
    if (front ? text.starts_with(blank) : text.ends_with(blank)) return blank.size();
  return 0;
}

/// The tokens of `raw`; what follows each other as plain text is one.
std::vector<Token> tokens_of(std::string_view raw, MarkupKind kind) {
  std::vector<Token> tokens;
  for (std::size_t at = 0; at < raw.size(); at = tokens.back().to) {
    Token token = token_at(raw, at, kind);
    if (!tokens.empty() && token.is_plain() && tokens.back().is_plain())
      tokens.back().to = token.to;
    else
      tokens.push_back(std::move(token));
  }
  return tokens;
}

Segment segment_of(std::string_view raw, MarkupKind kind, const text::KeepOptions& kept) {
  const Writing writing{.escaped = kind == MarkupKind::none ? nullptr : text::with_references};
  return make_segment(raw, with_kept(raw, tokens_of(raw, kind), writing, kept), writing);
}

/// Adds the segment with these bytes, or the bytes where they have no word.
void add_segment(SegmentedText& out, std::string_view raw, MarkupKind kind) {
  std::size_t begin = 0, end = raw.size();
  while (const std::size_t blank = blank_at(raw.substr(begin), true)) begin += blank;
  if (begin < end)
    while (const std::size_t blank = blank_at(raw.substr(begin, end - begin), false)) end -= blank;
  Segment segment = segment_of(raw.substr(begin, end - begin), kind, out.kept());
  // A message that is kept whole is told of, which needs a segment.
  const bool has_message = std::ranges::any_of(
      segment.inlays, [](const Inlay& inlay) { return text::has_text_inside(inlay.before); });
  if (!segment.has_letters && !has_message) return out.add(raw);
  out.add(raw.substr(0, begin));
  out.add(std::move(segment));
  out.add(raw.substr(end));
}

}  // namespace

SegmentedText read_markup(std::string_view page, MarkupKind kind, text::KeepOptions kept) {
  SegmentedText out(std::move(kept));
  if (kind == MarkupKind::none || page.find_first_of("<&\n") == std::string_view::npos) {
    Segment line = segment_of(page, kind, out.kept());
    if (line.inlays.empty()) {
      line.text = text::repair(page);
      out.add(std::move(line));
    } else {
      add_segment(out, page, kind);
    }
    return out;
  }
  std::size_t from = 0;  // where the segment that is being read begins
  bool keeps_lines = false;
  const auto end_segment = [&](std::size_t end, std::size_t after) {
    add_segment(out, page.substr(from, end - from), kind);
    out.add(page.substr(end, after - end));
    from = after;
  };
  for (std::size_t at = 0; (at = page.find_first_of("<\n", at)) != std::string_view::npos;) {
    const Token token = token_at(page, at, kind);
    const std::size_t end = token.to;
    if (token.syntax == Token::Syntax::block || (keeps_lines && page[at] == '\n'))
      end_segment(at, end);
    if (kind == MarkupKind::html && (token.name == "pre" || token.name == "textarea"))
      keeps_lines = page[at + 1] != '/';
    at = end;
  }
  end_segment(page.size(), page.size());
  return out;
}

}  // namespace heed::document
