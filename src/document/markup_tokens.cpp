#include "document/markup_tokens.h"

#include <algorithm>
#include <cstdint>

#include "base/format.h"
#include "base/strings.h"
#include "document/html_elements.h"
#include "text/references.h"

namespace heed::document {
namespace {

bool is_code(const std::string& name) {
  return name == "script" || name == "style";
}

bool begins_name(char c, MarkupKind kind) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (kind == MarkupKind::xml && (c == '_' || c == ':' || static_cast<unsigned char>(c) > 127));
}

/// The position after the next `end`, or the end of the page where there is none.
std::size_t after(std::string_view page, std::string_view end, std::size_t from) {
  const std::size_t found = page.find(end, from);
  return found == std::string_view::npos ? page.size() : found + end.size();
}

constexpr std::string_view kBehindName = " \t\n\r\f/>";

/// Reads the attributes of a tag, which begin after its name at `at`. A value in quotes may contain
/// `>`.
void read_attributes(std::string_view page, std::size_t at, MarkupKind kind, Tag& tag) {
  const auto find = [&](std::string_view of, std::size_t from) {
    return std::min(page.find_first_of(of, from), page.size());
  };
  const auto skip_blanks = [&](std::size_t from) {
    return std::min(page.find_first_not_of(kMarkupBlanks, from), page.size());
  };
  tag.end = page.size();
  while ((at = skip_blanks(at)) < page.size()) {
    if (page[at] == '>' || page.substr(at).starts_with("/>")) {
      tag.is_empty = page[at] == '/';
      tag.end = at + (tag.is_empty ? 2 : 1);
      return;
    }
    if (tag.attributes++ == Tag::kMostAttributes) tag.most_attributes_end = at;
    const std::size_t name = at, after_name = find(" \t\n\r\f/>=", at + 1);
    at = skip_blanks(after_name);
    if (at == page.size() || page[at] != '=') {
      at = after_name;
      continue;
    }
    std::size_t value = skip_blanks(at + 1);
    if (value == page.size()) return;
    const bool quoted = page[value] == '"' || page[value] == '\'';
    const std::size_t end = quoted ? page.find(page[value], value + 1) : find(" \t\n\r\f>", value);
    if (end >= page.size()) return;
    value += quoted;
    at = end + quoted;
    const std::string attribute = ascii_lower(page.substr(name, after_name - name));
    const std::string_view given = page.substr(value, end - value);
    if (attribute == "translate") {
      const std::string word = ascii_lower(given);
      if (word == "no") tag.translate = false;
      if ((word == "yes" || word.empty()) && !tag.translate) tag.translate = true;
    } else if (kind == MarkupKind::html && attribute == "class" && has_untranslated_class(given)) {
      tag.translate = false;
    }
  }
}

}  // namespace

Tag tag_at(std::string_view page, std::size_t at, MarkupKind kind) {
  Tag tag{.end = at};
  tag.closes = page.substr(at).starts_with("</");
  const std::size_t begin = at + (tag.closes ? 2 : 1);
  if (begin >= page.size() || !begins_name(page[begin], kind)) return tag;
  const std::size_t end = std::min(page.find_first_of(kBehindName, begin), page.size());
  tag.name = page.substr(begin, end - begin);
  if (kind == MarkupKind::html) tag.name = ascii_lower(tag.name);
  read_attributes(page, end, kind, tag);
  return tag;
}

std::optional<std::size_t> after_end_tag(std::string_view page, std::size_t at,
                                         const std::string& name) {
  for (; (at = page.find("</", at)) != std::string_view::npos; at += 2) {
    // "</scripts" is another name, whose end is not looked for.
    const std::string_view found = page.substr(at + 2, name.size() + 1);
    if (ascii_lower(found.substr(0, name.size())) == name &&
        (found.size() == name.size() || kBehindName.find(found.back()) != std::string_view::npos))
      return tag_at(page, at, MarkupKind::html).end;
  }
  return std::nullopt;
}

namespace {

/// The position after the declaration of XML that begins here: `>` in quotes, in comments, and
/// between the brackets of a document type is not its end.
std::size_t after_declaration(std::string_view page, std::size_t at) {
  bool in_brackets = false;
  for (; at < page.size(); ++at) {
    const char c = page[at];
    if (c == '>' && !in_brackets) return at + 1;
    if (c == '[' || c == ']')
      in_brackets = c == '[';
    else if (page.substr(at).starts_with("<!--"))
      at = after(page, "-->", at + 4) - 1;
    else if (c == '"' || c == '\'')
      at = after(page, page.substr(at, 1), at + 1) - 1;
  }
  return page.size();
}

/// The position after the comment, declaration or the like that begins here; `at` where there is
/// none.
std::size_t after_comment(std::string_view page, std::size_t at, MarkupKind kind) {
  const std::string_view rest = page.substr(at);
  const bool is_xml = kind == MarkupKind::xml;
  // "<!-->" is a comment of HTML, too.
  if (rest.starts_with("<!--")) return after(page, "-->", at + (is_xml ? 4 : 2));
  if (rest.starts_with("<![CDATA[")) return after(page, "]]>", at);
  if (rest.starts_with("<?php") || (is_xml && rest.starts_with("<?"))) return after(page, "?>", at);
  if (is_xml && rest.starts_with("<!")) return after_declaration(page, at + 2);
  return rest.starts_with("<!") || rest.starts_with("<?") ? after(page, ">", at) : at;
}

/// The position after the end tag of an element whose content begins here.
std::size_t after_element(std::string_view page, std::size_t at, const std::string& name,
                          MarkupKind kind) {
  for (int64_t depth = 1; depth > 0;) {
    at = page.find('<', at);
    if (at == std::string_view::npos) return page.size();
    if (const std::size_t end = after_comment(page, at, kind); end > at) {
      at = end;
      continue;
    }
    const Tag tag = tag_at(page, at, kind);
    if (tag.name == name && !tag.is_empty) depth += tag.closes ? -1 : 1;
    at = std::max(tag.end, at + 1);
  }
  return at;
}

}  // namespace

MarkupKind markup_kind(std::string_view name) {
  return name == "html" ? MarkupKind::html : name == "xml" ? MarkupKind::xml : MarkupKind::none;
}

Token token_at(std::string_view page, std::size_t at, MarkupKind kind) {
  using enum Token::Syntax;
  const Token character{.from = at, .to = at + 1};
  if (kind == MarkupKind::none) return character;
  if (page[at] == '&') {
    const auto reference = text::reference_at(page, at);
    if (!reference) return character;
    Token token{.from = at, .to = at + reference->bytes, .syntax = whole};
    if (reference->character) {
      token.syntax = Token::Syntax::text;
      token.text = reference->text();
    }
    return token;
  }
  if (page[at] != '<') return character;
  if (const std::size_t end = after_comment(page, at, kind); end > at)
    return {.from = at, .to = end, .syntax = whole};
  const Tag tag = tag_at(page, at, kind);
  if (tag.end == at) return character;
  const bool is_html = kind == MarkupKind::html;
  const bool ends = is_html && is_block_element(tag.name);
  std::size_t end = tag.end;
  bool is_whole = tag.is_empty || (is_html && is_void_element(tag.name));
  if (!tag.closes && !is_whole) {
    if (is_html && is_code(tag.name)) {
      // It contains no markup.
      end = after_end_tag(page, end, tag.name).value_or(page.size()), is_whole = true;
    } else if (tag.translate == false) {
      end = after_element(page, end, tag.name, kind), is_whole = true;
    } else if (is_html && is_untranslated_element(tag.name) && !tag.translate) {
      // An end that is farther away is not looked for, so that many without one take no time.
      constexpr std::size_t kFarthest = 1 << 16;
      const std::string_view near = page.substr(0, end + kFarthest);
      const auto found = after_end_tag(near, end, tag.name);
      if (found && near[*found - 1] == '>') end = *found, is_whole = true;
    }
  }
  return {.from = at,
          .to = end,
          .syntax = ends         ? block
                    : is_whole   ? whole
                    : tag.closes ? closing
                                 : opening,
          .name = is_whole ? "" : tag.name};
}

namespace {

/// The position after the comment, the tag, or the script or style of HTML that begins here.
std::size_t after_markup(std::string_view page, std::size_t at) {
  if (const std::size_t end = after_comment(page, at, MarkupKind::html); end > at) return end;
  const Tag tag = tag_at(page, at, MarkupKind::html);
  if (tag.end == at) return at + 1;
  return tag.closes || !is_code(tag.name)
             ? tag.end
             : after_end_tag(page, tag.end, tag.name).value_or(page.size());
}

}  // namespace

std::optional<std::string> unclosed_markup(std::string_view page, MarkupKind kind, bool is_page) {
  constexpr std::size_t kShown = 40;  // bytes
  if (kind == MarkupKind::none || page.find('<') == std::string_view::npos) return std::nullopt;
  // Markup without an end goes to the end of the page, however long the page is.
  const std::string longer = std::string(page) + '\n';
  for (std::size_t at = 0; (at = longer.find('<', at)) != std::string::npos;) {
    const std::size_t end = is_page ? after_markup(longer, at) : token_at(longer, at, kind).to;
    if (end < longer.size()) {
      at = end;
      continue;
    }
    const std::string_view rest = page.substr(at);
    const char* const what = rest.starts_with("<!--")                       ? "comment"
                             : rest.starts_with("<![CDATA[")                ? "CDATA section"
                             : rest.starts_with("<?")                       ? "instruction"
                             : rest.starts_with("<!")                       ? "declaration"
                             : tag_at(longer, at, kind).end < longer.size() ? "element"
                                                                            : "tag";
    return fmt::format("the {} that begins with '{}'", what,
                       one_line(rest.substr(0, rest.find('\n')), kShown));
  }
  return std::nullopt;
}

}  // namespace heed::document
