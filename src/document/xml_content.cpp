#include "document/xml_content.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "text/references.h"
#include "text/utf8.h"

namespace heed::document {
namespace {

constexpr char kElement = '<';  // begins the names of elements

/// Gives names to what opens and closes and is no element, such as `bpt` and `ept`, or tags that
/// are written with references: only two that are in the same element belong together. The elements
/// around them have to stay whole.
void name_pairs(std::vector<Token>& tokens) {
  using Open = std::map<std::string, std::vector<std::size_t>>;  // indices by name
  std::vector<Open> elements(1);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    Token& token = tokens[i];
    const bool opens = token.syntax == Token::Syntax::opening;
    if (!opens && token.syntax != Token::Syntax::closing) continue;
    if (token.name.starts_with(kElement)) {
      if (opens)
        elements.emplace_back();
      else if (elements.size() > 1)
        elements.pop_back();
      continue;
    }
    std::vector<std::size_t>& open = elements.back()[token.name];
    token.name = std::to_string(i);
    if (opens) {
      open.push_back(i);
    } else if (!open.empty()) {
      token.name = tokens[open.back()].name;
      open.pop_back();
    }
  }
}

/// Whether a reference is to an entity that a document declares, not to one of XML's own.
bool is_entity(std::string_view bytes) {
  static const std::set<std::string_view> of_xml{"&amp;", "&apos;", "&gt;", "&lt;", "&quot;"};
  return bytes.starts_with('&') && !bytes.starts_with("&#") && !of_xml.contains(bytes);
}

/// The character of an entity that has the same name in all documents, such as `&nbsp;`; empty for
/// another, such as the name of a program, `&kate;`.
std::string character_of_entity(std::string_view bytes) {
  const auto reference = is_entity(bytes) ? text::html_reference_at(bytes, 0) : std::nullopt;
  return reference && reference->bytes == bytes.size() ? reference->text() : "";
}

}  // namespace

std::vector<Token> tokens_of_xml(std::string_view bytes, const std::vector<XmlEvent>& events,
                                 std::size_t first, std::size_t last, const FindXmlRole& role_of,
                                 EscapedText::FindItem item, EscapedText::FindMarkup markup) {
  std::vector<Token> tokens;
  EscapedText text(bytes, LineFeeds::layout, item, markup);
  for (std::size_t i = first; i < last; ++i) {
    const XmlEvent& event = events[i];
    if (event.kind == XmlEvent::EventType::text) {
      text.add(event.bytes);
      continue;
    }
    if (event.kind == XmlEvent::EventType::character) {
      text.add(event.text, event.bytes);
      continue;
    }
    if (event.bytes.is_empty()) continue;  // the end of an empty-element tag
    if (event.kind == XmlEvent::EventType::other) {
      const std::string_view other =
          bytes.substr(event.bytes.from, event.bytes.to - event.bytes.from);
      if (const std::string character = character_of_entity(other); !character.empty()) {
        text.add(character, event.bytes);
        continue;
      }
    }
    text.move_to(tokens);
    Token& token = tokens.emplace_back(
        Token{.from = event.bytes.from, .to = event.bytes.to, .syntax = Token::Syntax::whole});
    token.is_placeholder = is_entity(bytes.substr(token.from, token.bytes()));
    if (event.kind != XmlEvent::EventType::start && event.kind != XmlEvent::EventType::end)
      continue;
    const bool is_start = event.kind == XmlEvent::EventType::start;
    XmlRole role = role_of(is_start ? event : events[event.partner]);
    const bool is_empty = is_start && events[event.partner].bytes.is_empty();
    if (role.kind == XmlRole::RoleKind::cut) {
      token.syntax = Token::Syntax::block;
    } else if (role.kind == XmlRole::RoleKind::span) {
      if (is_empty) continue;
      token.syntax = is_start ? Token::Syntax::opening : Token::Syntax::closing;
      token.name = kElement + event.name;
    } else {
      if (role.kind == XmlRole::RoleKind::apart)
        token.syntax = Token::Syntax::block;
      else if (role.kind != XmlRole::RoleKind::whole)
        token.syntax =
            role.kind == XmlRole::RoleKind::opens ? Token::Syntax::opening : Token::Syntax::closing;
      token.name = std::move(role.name);
      token.is_placeholder = role.is_word;
      i = std::min(event.partner, last - 1);
      token.to = std::max(token.to, events[i].bytes.to);
    }
  }
  text.move_to(tokens);
  name_pairs(tokens);
  return tokens;
}

bool is_blank_xml(std::string_view bytes, const std::vector<XmlEvent>& events, std::size_t first,
                  std::size_t last) {
  for (std::size_t i = first; i < last; ++i)
    if (events[i].kind != XmlEvent::EventType::text ||
        !text::is_blank(
            bytes.substr(events[i].bytes.from, events[i].bytes.to - events[i].bytes.from)))
      return false;
  return true;
}

std::string_view indentation_before(std::string_view bytes, std::size_t byte) {
  std::size_t from = byte;
  while (from > 0 && (bytes[from - 1] == ' ' || bytes[from - 1] == '\t')) --from;
  if (from == 0 || bytes[from - 1] != '\n') return {};
  --from;
  if (from > 0 && bytes[from - 1] == '\r') --from;
  return bytes.substr(from, byte - from);
}

Enclose without_ids(std::string_view bytes) {
  constexpr std::string_view kId = "xml:id=";
  if (bytes.find(kId) == bytes.npos) return nullptr;
  return [kId](std::string_view written) {
    std::string out(written);
    for (std::size_t at = 0; (at = out.find(kId, at)) != out.npos;) {
      const std::size_t tag = out.find_last_of("<>", at), quote = at + kId.size();
      const std::size_t end = quote < out.size() ? out.find(out[quote], quote + 1) : out.npos;
      if (tag == out.npos || out[tag] != '<' || end == out.npos) {
        at = quote;  // of the text
        continue;
      }
      const std::size_t from = out.find_last_not_of(" \t\r\n", at - 1) + 1;
      out.erase(from, end + 1 - from);
      at = from;
    }
    return out;
  };
}

std::string in_cdata(std::string_view text) {
  std::string out(text);
  constexpr std::string_view kEnd = "]]>", kApart = "]]]]><![CDATA[>";
  for (std::size_t at = 0; (at = out.find(kEnd, at)) != std::string::npos; at += kApart.size())
    out.replace(at, kEnd.size(), kApart);
  return out;
}

}  // namespace heed::document
