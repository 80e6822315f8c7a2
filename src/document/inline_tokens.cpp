#include "document/inline_tokens.h"

#include <algorithm>
#include <utility>

#include "document/lines_of_text.h"
#include "document/markup_tokens.h"
#include "text/characters.h"
#include "text/references.h"
#include "text/script.h"
#include "text/utf8.h"

namespace heed::document {

namespace {

constexpr std::size_t kLongestMarkup = 1 << 16;  // bytes in which its end is looked for

/// Bytes up to the end of the first `end` in `rest`; 0 where there is none within kLongestMarkup
/// bytes.
std::size_t up_to(std::string_view rest, std::string_view end, std::size_t from = 0) {
  const std::size_t found = rest.substr(0, kLongestMarkup).find(end, from);
  return found == std::string_view::npos ? 0 : found + end.size();
}

/// Adds the tag, or the address in angle brackets, that begins at `at`; returns its bytes or 0.
std::size_t add_tag(std::string_view text, std::size_t at, std::vector<Token>& tokens) {
  const std::string_view rest = text.substr(at);
  const std::string_view near = text.substr(0, at + kLongestMarkup);
  const Token token = token_at(near, at, MarkupKind::html);
  if (near.size() < text.size() && at + token.bytes() == near.size())
    return 0;  // it has no end there
  const std::size_t bytes = rest.starts_with("<!--")              ? up_to(rest, "-->", 4)
                            : token.syntax == Token::Syntax::text ? up_to(rest, ">")
                                                                  : token.bytes();
  if (bytes < 3 || rest[bytes - 1] != '>' || is_one_of(rest[1], " \t=<-")) return 0;
  const std::string_view tag = rest.substr(1, bytes - 2);
  const bool is_address = !is_one_of(' ', tag) && (is_one_of('@', tag) || up_to(tag, "://") > 0);
  Token& added =
      tokens.emplace_back(Token{.from = at, .to = at + bytes, .syntax = Token::Syntax::whole});
  if (is_address) return bytes;
  added.mask = tag[0] == '/' ? Token::kCloses : Token::kOpens;
  added.name = token.name;
  added.is_link = token.name == "a";
  if (!token.name.empty() && token.syntax != Token::Syntax::block) added.syntax = token.syntax;
  return bytes;
}

/// The position after the last `>`, where the last tag may end. After it no tag is looked for: each
/// one without an end would be read to the end of the text.
std::size_t after_tags(std::string_view text) {
  return text.rfind('>') + 1;
}

}  // namespace

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

std::vector<Token> tokens_of_cues(std::string_view text) {
  std::vector<Token> tokens;
  const std::size_t tags = after_tags(text);
  for (std::size_t at = 0, bytes = 0; at < text.size(); at += std::max<std::size_t>(bytes, 1)) {
    bytes = text[at] == '<'   ? at < tags ? add_tag(text, at, tokens) : 0
            : text[at] == '&' ? add_reference(text, at, tokens)
                              : 0;
    if (!text.substr(at).starts_with("{\\")) continue;
    bytes = up_to(text.substr(at), "}");
    if (bytes > 0)
      tokens.push_back(
          {.from = at, .to = at + bytes, .syntax = Token::Syntax::whole, .mask = Token::kOpens});
  }
  return tokens;
}

}  // namespace heed::document
