// The tokens of a paragraph of Markdown, of what md4c tells about it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "document/markdown_extensions.h"
#include "document/passage.h"
#include "document/token.h"

namespace heed::document {

/// What a parser tells about a text, in order. Marks and addresses are not told: they are the bytes
/// between two texts.
struct MarkdownEvent {
  enum class EventKind { enter, leave, text, reference, html, code, soft_break, hard_break };
  enum class SpanKind { none, emphasis, strong, strike, link, image, code };

  static constexpr std::size_t kNowhere = -1;

  EventKind kind = EventKind::text;
  SpanKind span = SpanKind::none;  // what is entered or left
  /// Bytes of CommonMarkdown::text. kNowhere: the parser has them from elsewhere, as for a blank
  /// that stands for the end of a line in code.
  std::size_t from = kNowhere, to = kNowhere;

  bool has_place() const { return from != kNowhere; }
};

/// Adds the passages of a paragraph, a heading or a cell with these events: it ends at a hard break
/// outside of spans. `floor` is the first byte of `markdown` that may belong to it; returns the one
/// after it.
std::size_t add_passages(std::string_view bytes, const CommonMarkdown& markdown,
                         const std::vector<MarkdownEvent>& events, std::size_t floor,
                         Passages& out);

/// Adds the passages of a block of HTML, which has these lines of `markdown`.
void add_html(const CommonMarkdown& markdown, const std::vector<ByteRange>& lines, Passages& out);

}  // namespace heed::document
