#include "document/inline_tokens.h"

#include <string>

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

}  // namespace heed::document
