#include "document/markdown_passage.h"

#include <algorithm>
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
  // Where the text itself has a bare `<` before a letter, the model may write it, too.
  const bool has_bare = std::ranges::any_of(passage.tokens, [&](const Token& token) {
    return token.is_plain() &&
           has_tag(std::string_view(markdown_.text).substr(token.from, token.bytes()));
  });
  if (!has_bare) passage.writing.escaped = without_tags;
  for (Token& token : passage.tokens) {
    if (token.syntax == Token::Syntax::text && !token.text.empty())
      passage.writing.escaped = text::with_references;
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
