#include "text/document_markup.h"

#include <algorithm>

#include "text/kept.h"
#include "text/markup_tokens.h"
#include "text/references.h"
#include "text/script.h"
#include "text/utf8.h"

namespace heed::text {

bool is_one_of(char c, std::string_view characters) {
  return characters.find(c) != std::string_view::npos;
}

std::size_t behind_run(std::string_view text, std::string_view characters, std::size_t from) {
  return std::min(text.find_first_not_of(characters, from), text.size());
}

namespace {

constexpr std::size_t kLongestMarkup = 1 << 16;  // bytes in which its end is looked for

/// Bytes up to the end of the first `end` in `rest`; 0 where there is none within kLongestMarkup
/// bytes.
std::size_t up_to(std::string_view rest, std::string_view end, std::size_t from = 0) {
  const std::size_t found = rest.substr(0, kLongestMarkup).find(end, from);
  return found == std::string_view::npos ? 0 : found + end.size();
}

/// Bytes up to the end of the next run of exactly `run` backticks, with which `rest` begins; 0
/// where there is none within kLongestMarkup bytes.
std::size_t up_to_backticks(std::string_view rest, std::size_t run) {
  const std::string_view near = rest.substr(0, kLongestMarkup);
  for (std::size_t at = run; (at = near.find('`', at)) != near.npos;) {
    const std::size_t end = behind_run(rest, "`", at);
    if (end - at == run) return end;
    at = end;
  }
  return 0;
}

/// Adds the tag, or the address in angle brackets, that begins at `at`; returns its bytes or 0.
std::size_t add_tag(std::string_view text, std::size_t at, std::vector<MarkupSpan>& spans) {
  const std::string_view rest = text.substr(at);
  const std::string_view near = text.substr(0, at + kLongestMarkup);
  const MarkupToken token = token_at(near, at, MarkupKind::html);
  if (near.size() < text.size() && at + token.bytes == near.size())
    return 0;  // it has no end there
  const std::size_t bytes = rest.starts_with("<!--")                    ? up_to(rest, "-->", 4)
                            : token.syntax == MarkupToken::Syntax::text ? up_to(rest, ">")
                                                                        : token.bytes;
  if (bytes < 3 || rest[bytes - 1] != '>' || is_one_of(rest[1], " \t=<-")) return 0;
  const std::string_view tag = rest.substr(1, bytes - 2);
  const bool is_address = !is_one_of(' ', tag) && (is_one_of('@', tag) || up_to(tag, "://") > 0);
  spans.push_back({at, at + bytes,
                   is_address      ? MarkupSpan::kWord
                   : tag[0] == '/' ? MarkupSpan::kCloses
                                   : MarkupSpan::kOpens});
  return bytes;
}

/// The position after the last `>`, where the last tag may end. After it no tag is looked for: each
/// one without an end would be read to the end of the text.
std::size_t behind_tags(std::string_view text) {
  return text.rfind('>') + 1;
}

/// Adds the reference, such as &amp;, that begins at `at`; returns its bytes or 0.
std::size_t add_reference(std::string_view text, std::size_t at, std::vector<MarkupSpan>& spans) {
  const auto reference = reference_at(text, at);
  if (!reference) return 0;
  spans.push_back({at, at + reference->bytes, MarkupSpan::kWord});
  return reference->bytes;
}

/// Bytes of the address or name of a link, ( ... ) or [ ... ], that `rest` begins with, or 0.
std::size_t bytes_of_target(std::string_view rest) {
  if (rest.starts_with('[')) return up_to(rest, "]");
  constexpr int kDeepest = 32;  // limit of CommonMark
  int depth = 0;
  for (std::size_t i = 0; rest.starts_with('(') && i < rest.size() && depth < kDeepest; ++i) {
    depth += rest[i] == '(' ? 1 : rest[i] == ')' ? -1 : 0;
    if (depth == 0) return i + 1;
    if (i > kLongestMarkup && rest[i] == ' ') break;  // an embedded picture has no blanks
  }
  return 0;
}

constexpr std::size_t kLongestInsert = 1000;  // bytes in which its end is looked for

/// Bytes of a tag of a template, {{ name }} or {% include x %}, that `rest` begins with, or 0.
std::size_t bytes_of_template(std::string_view rest) {
  const std::string_view near = rest.substr(0, kLongestInsert);
  if (near.starts_with("{{")) return up_to(near, "}}", 2);
  return near.starts_with("{%") ? up_to(near, "%}", 2) : 0;
}

/// Bytes of a formula, $x$ or $$x$$, that begins at `at`, or 0. No blank is inside beside a single
/// $, and no letter or digit outside: "$5 and $6" and "5$ and 6$" are prices, "$HOME/$USER" is
/// none.
std::size_t bytes_of_formula(std::string_view text, std::size_t at) {
  const std::string_view near = text.substr(at, kLongestInsert);
  if (near.starts_with("$$")) return up_to(near, "$$", 2);
  if (near.size() < 3 || is_one_of(near[1], " \t") || is_in_word(value_before(text, at))) return 0;
  for (std::size_t end = 1; (end = near.find('$', end)) != near.npos; ++end)
    if (!is_one_of(near[end - 1], " \t\\"))
      return end + 1 < near.size() && is_in_word(code_point_at(near, end + 1).value) ? 0 : end + 1;
  return 0;
}

/// Bytes of the name of a picture, :rocket:, that begins at `at` after a blank, or 0.
std::size_t bytes_of_emoji(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at + 1);
  const std::size_t end = behind_run(rest, "abcdefghijklmnopqrstuvwxyz0123456789_+-");
  const bool is_free = at == 0 || is_one_of(text[at - 1], " \t:");
  return is_free && end > 1 && rest.substr(end).starts_with(':') ? end + 2 : 0;
}

}  // namespace

std::vector<MarkupSpan> markup_of_cues(std::string_view text) {
  std::vector<MarkupSpan> spans;
  const std::size_t tags = behind_tags(text);
  for (std::size_t at = 0, bytes = 0; at < text.size(); at += std::max<std::size_t>(bytes, 1)) {
    bytes = text[at] == '<'   ? at < tags ? add_tag(text, at, spans) : 0
            : text[at] == '&' ? add_reference(text, at, spans)
                              : 0;
    if (!text.substr(at).starts_with("{\\")) continue;
    bytes = up_to(text.substr(at), "}");
    if (bytes > 0) spans.push_back({at, at + bytes, MarkupSpan::kOpens});
  }
  return spans;
}

std::vector<MarkupSpan> markup_of_markdown(std::string_view text) {
  std::vector<MarkupSpan> spans;
  std::vector<std::size_t> open;  // [ and ![
  const std::size_t tags = behind_tags(text);
  for (std::size_t at = 0, bytes = 0; at < text.size(); at += std::max<std::size_t>(bytes, 1)) {
    const std::string_view rest = text.substr(at);
    const auto add = [&](char kind) {
      if (bytes > 0) spans.push_back({at, at + bytes, kind});
    };
    bytes = 0;
    if (rest[0] == '\\') {
      bytes = 2;
    } else if (rest[0] == '`') {
      const std::size_t run = behind_run(rest, "`");
      bytes = up_to_backticks(rest, run);
      add(MarkupSpan::kWord);
      bytes = std::max(bytes, run);
    } else if (rest[0] == '<') {
      bytes = at < tags ? add_tag(text, at, spans) : 0;
    } else if (rest[0] == '&') {
      bytes = add_reference(text, at, spans);
    } else if (is_one_of(rest[0], "{$:")) {
      bytes = rest[0] == '{'   ? bytes_of_template(rest)
              : rest[0] == '$' ? bytes_of_formula(text, at)
                               : bytes_of_emoji(text, at);
      add(MarkupSpan::kWord);
    } else if (rest.starts_with("[^")) {
      bytes = up_to(rest, "]");
      add(MarkupSpan::kCloses);
    } else if (rest[0] == '[' || rest.starts_with("![")) {
      open.push_back(at);
      bytes = rest[0] == '!' ? 2 : 1;
    } else if (rest[0] == ']' && !open.empty()) {
      const std::size_t from = open.back(), target = bytes_of_target(rest.substr(1));
      open.pop_back();
      if (target == 0) continue;
      spans.push_back({from, from + (text[from] == '!' ? 2 : 1), MarkupSpan::kOpens});
      bytes = 1 + target;
      add(MarkupSpan::kCloses);
    } else if (rest.starts_with("https://") || rest.starts_with("http://") ||
               rest.starts_with("www.")) {
      bytes = std::min(rest.find_first_of(" \t<>()[]\"'*`|"), rest.size());
      bytes = before_wide_marks(rest.substr(0, bytes));
      while (is_one_of(rest[bytes - 1], ".,;:!?")) --bytes;
      add(MarkupSpan::kWord);
    }
  }
  std::ranges::sort(spans, {}, &MarkupSpan::from);
  return spans;
}

}  // namespace heed::text
