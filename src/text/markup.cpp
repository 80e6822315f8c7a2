#include "text/markup.h"

#include <cstddef>
#include <string>
#include <utility>

#include "text/characters.h"
#include "text/references.h"
#include "text/segment_builder.h"
#include "text/utf8.h"
#include "text/words.h"

namespace heed::text {
namespace {

/// Bytes of the blank at this end of the text, or 0.
std::size_t blank_at(std::string_view text, bool front) {
  for (const std::string_view blank : {" ", "\t", "\n", "\r", "\f", "&nbsp;", "\u00A0"})
    if (front ? text.starts_with(blank) : text.ends_with(blank)) return blank.size();
  return 0;
}

/// The bytes of an address, which ends before a reference to a character that no address has, such
/// as `&gt;`, and before the punctuation there.
std::size_t before_reference(std::string_view raw, std::size_t at, std::size_t bytes) {
  const std::string_view address = raw.substr(at, bytes);
  for (std::size_t i = 0; (i = address.find('&', i)) != std::string_view::npos; ++i)
    if (const auto reference = reference_at(raw, at + i))
      if (const char32_t c = reference->character.value_or(U'&'); c != U'&' && !is_letter(c))
        return without_marks(address.substr(0, i));
  return bytes;
}

/// The kept item that begins at `at`.
KeptItem item_at(std::string_view raw, std::size_t at, MarkupKind kind, const KeepOptions& kept) {
  if (!kept.any() || (kind != MarkupKind::none && raw[at] == '<')) return {};
  KeptItem item = kept_item_at(raw, at, kept);
  // Only addresses begin with a letter. Placeholders do not, and may contain any reference.
  if (kind != MarkupKind::none && is_letter(static_cast<unsigned char>(raw[at])))
    item.bytes = before_reference(raw, at, item.bytes);
  return item;
}

Segment segment_of(std::string_view raw, MarkupKind kind, const KeepOptions& kept) {
  SegmentBuilder builder({.has_references = kind != MarkupKind::none});
  for (std::size_t at = 0; at < raw.size();) {
    const KeptItem item = item_at(raw, at, kind, kept);
    const MarkupToken token =
        item.bytes > 0 ? MarkupToken{.syntax = MarkupToken::Syntax::whole, .bytes = item.bytes}
                       : token_at(raw, at, kind);
    const std::string_view bytes = raw.substr(at, token.bytes);
    if (item.bytes > 0 && item.stays)
      builder.add_staying(bytes);
    else
      builder.add(token, bytes);
    at += token.bytes;
  }
  Segment segment = std::move(builder).segment();
  segment.raw = raw;
  return segment;
}

/// Adds the segment with these bytes, or the bytes where they have no word.
void add_segment(SegmentedText& out, std::string_view raw) {
  std::size_t begin = 0, end = raw.size();
  while (const std::size_t blank = blank_at(raw.substr(begin), true)) begin += blank;
  if (begin < end)
    while (const std::size_t blank = blank_at(raw.substr(begin, end - begin), false)) end -= blank;
  Segment segment = segment_of(repair(raw.substr(begin, end - begin)), out.kind(), out.kept());
  if (!has_words(segment.text)) return out.add(raw);
  out.add(raw.substr(0, begin));
  out.add(std::move(segment));
  out.add(raw.substr(end));
}

}  // namespace

SegmentedText read_markup(std::string_view page, MarkupKind kind, KeepOptions kept) {
  SegmentedText out(kind, std::move(kept));
  if (kind == MarkupKind::none || page.find_first_of("<&\n") == std::string_view::npos) {
    Segment line = segment_of(page, kind, out.kept());
    if (line.inlays.empty()) {
      line.text = line.raw = repair(page);
      out.add(std::move(line));
    } else {
      add_segment(out, page);
    }
    return out;
  }
  std::size_t from = 0;  // where the segment that is being read begins
  bool keeps_lines = false;
  const auto end_segment = [&](std::size_t end, std::size_t after) {
    add_segment(out, page.substr(from, end - from));
    out.add(page.substr(end, after - end));
    from = after;
  };
  for (std::size_t at = 0; (at = page.find_first_of("<\n", at)) != std::string_view::npos;) {
    const MarkupToken token = token_at(page, at, kind);
    const std::size_t end = at + token.bytes;
    if (token.syntax == MarkupToken::Syntax::block || (keeps_lines && page[at] == '\n'))
      end_segment(at, end);
    if (kind == MarkupKind::html && (token.name == "pre" || token.name == "textarea"))
      keeps_lines = page[at + 1] != '/';
    at = end;
  }
  end_segment(page.size(), page.size());
  return out;
}

}  // namespace heed::text
