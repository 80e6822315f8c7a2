#include "document/markdown_passage.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/strings.h"
#include "document/html_elements.h"
#include "document/markup_tokens.h"
#include "text/characters.h"
#include "text/references.h"
#include "text/script.h"
#include "text/utf8.h"

namespace heed::document {

std::size_t add_reference(std::string_view text, std::size_t at, std::vector<Token>& tokens) {
  const auto reference = text::reference_at(text, at);
  if (!reference) return 0;
  Token& added = tokens.emplace_back(
      Token{.from = at, .to = at + reference->bytes, .syntax = Token::Syntax::whole});
  const char32_t character = reference->character.value_or(U' ');
  const bool is_inside = added.to < text.size() && text::is_in_word(text::value_before(text, at)) &&
                         text::is_in_word(text::code_point_at(text, added.to).value);
  if (text::is_letter(character) || (is_inside && text::is_punctuation(character))) {
    added.syntax = Token::Syntax::text;
    added.text = text::encode_utf8(std::u32string(1, character));
  }
  return reference->bytes;
}

std::string name_of_tag(std::string_view tag) {
  const std::size_t from = tag.starts_with("</") ? 2 : 1;
  const std::size_t end = std::min(tag.find_first_of(" \t\r\n\f/>", from), tag.size());
  return from < tag.size() && tag[0] == '<' ? ascii_lower(tag.substr(from, end - from)) : "";
}

bool closes_element(std::string_view tag) {
  return tag.starts_with("</");
}

bool keeps_element(std::string_view tag) {
  const Tag found = tag_at(tag, 0, MarkupKind::html);
  if (tag.empty() || found.closes || found.is_empty) return false;
  return found.translate ? !*found.translate
                         : found.name == "pre" || is_untranslated_element(found.name);
}

Token token_of_tag(std::string_view text, std::size_t from, std::size_t to) {
  const std::string_view tag = text.substr(from, to - from);
  const Token found = token_at(tag, 0, MarkupKind::html);
  Token token{.from = from, .to = to, .syntax = Token::Syntax::whole};
  token.mask = closes_element(tag) ? Token::kCloses : Token::kOpens;
  if (found.syntax != Token::Syntax::opening && found.syntax != Token::Syntax::closing)
    return token;
  token.syntax = found.syntax;
  token.name = found.name;
  token.is_link = found.name == "a";
  return token;
}

namespace {

/// Whether the `<` at `at` would begin a tag, a comment or an instruction.
bool begins_tag(std::string_view text, std::size_t at) {
  if (at + 1 >= text.size() || text[at] != '<') return false;
  const char next = text[at + 1];
  return (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z') || is_one_of(next, "/!?");
}

bool has_tag(std::string_view text) {
  for (std::size_t at = 0; (at = text.find('<', at)) != text.npos; ++at)
    if (begins_tag(text, at)) return true;
  return false;
}

/// The text with a reference for each `<` that would begin a tag, which browsers would hide.
std::string without_tags(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at)
    if (begins_tag(text, at) && (at == 0 || text[at - 1] != '\\'))
      out += "&lt;";
    else
      out += text[at];
  return out;
}

/// Whether a backslash and the punctuation mark after it stand here, which are this mark.
bool is_escape(std::string_view text, std::size_t at, std::size_t end) {
  return text[at] == '\\' && at + 1 < end && std::ispunct(static_cast<unsigned char>(text[at + 1]));
}

/// Divides a plain token at its escapes, each of which becomes a token that stands for its mark.
void add_with_escapes(std::string_view text, const Token& token, std::vector<Token>& tokens) {
  const auto add = [&](std::size_t from, std::size_t to) {
    if (from == to) return;
    tokens.push_back(token);
    tokens.back().from = from;
    tokens.back().to = to;
  };
  std::size_t from = token.from;
  for (std::size_t at = from; at < token.to; ++at) {
    if (!is_escape(text, at, token.to)) continue;
    add(from, at);
    add(at, at + 2);
    tokens.back().text = text[++at];
    from = at + 1;
  }
  add(from, token.to);
}

/// The bytes of an escaped marker of lists and the blank after it: "1\. ", "\- ". Else 0.
std::size_t escaped_marker_bytes(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view marker = text.substr(digits);
  const bool is_marker = marker.size() > 2 && marker[0] == '\\' && marker[2] == ' ' &&
                         is_one_of(marker[1], digits > 0 ? ".)" : "-+*");
  return is_marker ? digits + 3 : 0;
}

/// Makes `\*` stand for `*` (CommonMark 2.4). A translation gets the backslash again, before marks
/// that have one everywhere in the passage and before those that mean something inside a line;
/// as_text() sees to others, which mean something where a line begins. A
/// marker of lists stays.
void read_escapes(std::string_view text, Passage& passage) {
  std::vector<Token> tokens;
  std::string escaped, plain;
  Token& front = passage.tokens.front();
  if (const std::size_t bytes =
          front.is_plain() ? escaped_marker_bytes(text.substr(front.from, front.bytes())) : 0) {
    tokens.push_back({.from = front.from,
                      .to = front.from + bytes,
                      .syntax = Token::Syntax::whole,
                      .mask = Token::kOpens});
    front.from += bytes;
  }
  for (Token& token : passage.tokens)
    if (token.is_plain() && !token.stays)
      add_with_escapes(text, token, tokens);
    else
      tokens.push_back(std::move(token));
  for (const Token& token : tokens)
    if (token.is_plain())
      plain += text.substr(token.from, token.bytes());
    else if (token.is_escape(text.substr(token.from, token.bytes())))
      escaped += token.text;
  constexpr std::string_view kMeanSomethingInLines = "*_~`[]<>&|\\$^!\"'";
  for (const char mark : escaped)
    if (!is_one_of(mark, passage.writing.with_backslash) &&
        (!is_one_of(mark, plain) || is_one_of(mark, kMeanSomethingInLines)))
      passage.writing.with_backslash += mark;
  passage.tokens = std::move(tokens);
}

/// What stands in the line before a passage, such as the marker of an item.
std::string_view line_before(std::string_view text, std::size_t at) {
  const std::size_t from = text.find_last_of("\r\n", at) + 1;  // 0 in the first line
  return trim(text.substr(from, at - std::min(from, at)));
}

/// The first line of a paragraph with a backslash where it would be a heading, a quotation or the
/// item of a list: "3\. Oktober".
std::string as_text(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::size_t hashes = std::min(text.find_first_not_of('#'), text.size());
  const auto ends_at = [&](std::size_t at) { return at >= text.size() || text[at] == ' '; };
  const char first = digits < text.size() ? text[digits] : ' ';
  const bool is_marker = digits > 0 ? digits <= 9 && is_one_of(first, ".)") && ends_at(digits + 1)
                                    : first == '>' || (is_one_of(first, "-+*") && ends_at(1)) ||
                                          (hashes > 0 && hashes <= 6 && ends_at(hashes));
  std::string out(text);
  if (is_marker) out.insert(digits, 1, '\\');
  return out;
}

}  // namespace

void PassageTokens::add(Token token, std::size_t to) {
  token.from = at_;
  token.to = to;
  if (to <= at_) return;
  at_ = to;
  tokens_.push_back(std::move(token));
}

void PassageTokens::add_text(std::size_t to) {
  const auto& whole = markdown_.whole;
  auto next = std::ranges::upper_bound(whole, at_, {}, &ByteRange::to);
  while (at_ < to) {
    const bool is_near = next != whole.end() && next->from < to;
    add_plain(is_near ? std::max(at_, next->from) : to);
    if (!is_near) continue;
    const char first = markdown_.text[next->from];
    // A line of structure in a block of HTML, or the rest of a label that is longer than the marker
    // of an item.
    const bool is_line = first == '#' || first == '-';
    add({.syntax = is_line ? Token::Syntax::block : Token::Syntax::whole,
         .mask = first == CommonMarkdown::kNote ? Token::kCloses : Token::kWord},
        next->to);
    ++next;
  }
}

void PassageTokens::add_rest(std::size_t to) {
  if (to <= at_) return;
  const std::string_view rest = std::string_view(markdown_.text).substr(at_, to - at_);
  if (rest.find_first_of("\r\n") == rest.npos) return add_plain(to);
  add({.syntax = Token::Syntax::line_break}, to);
}

void PassageTokens::end(std::size_t at) {
  Passage passage{.tokens = std::move(tokens_)};
  tokens_.clear();
  at_ = at;
  if (passage.tokens.empty()) return;
  passage.writing.has_markers = has_markers_;
  const std::string_view before = line_before(markdown_.text, passage.tokens[0].from);
  if (has_markers_ && !before.ends_with('#') && before.find('|') == before.npos)
    passage.writing.beginning = as_text;
  // Where the text itself has a bare `<` before a letter, the model may write it, too.
  const bool has_bare = std::ranges::any_of(passage.tokens, [&](const Token& token) {
    return token.is_plain() &&
           has_tag(std::string_view(markdown_.text).substr(token.from, token.bytes()));
  });
  if (!has_bare) passage.writing.escaped = without_tags;
  for (const Token& token : passage.tokens)
    if (token.syntax == Token::Syntax::text && !token.text.empty())
      passage.writing.escaped = text::with_references;
  read_escapes(markdown_.text, passage);
  for (Token& token : passage.tokens) {
    token.from = markdown_.source(token.from);
    token.to = markdown_.source(token.to - 1) + 1;
  }
  out_.push_back(std::move(passage));
}

void PassageTokens::add_plain(std::size_t to) {
  if (to <= at_) return;
  if (tokens_.empty() || !tokens_.back().is_plain()) return add({}, to);
  at_ = tokens_.back().to = to;
}

}  // namespace heed::document
