#include "document/unknown_symbols.h"

#include <cstddef>
#include <string_view>
#include <utility>

#include "text/characters.h"
#include "text/script.h"
#include "text/utf8.h"

namespace heed::document {
namespace {

/// Whether the character belongs to the symbol before it: a joiner, a selector of its form.
bool continues_symbol(char32_t c) {
  return c == 0x200D || (c >= 0xFE00 && c <= 0xFE0F);
}

/// Finds the symbols of tokens of text, and cuts these there.
class SymbolCutter {
 public:
  SymbolCutter(std::string_view bytes, const Knows& knows) : bytes_(bytes), knows_(knows) {}

  /// `before` and `after`: the characters beside the token; 0: there is no text.
  void add(Token token, char32_t before, char32_t after) {
    if (token.syntax == Token::Syntax::text && !token.stays && !token.text.empty())
      add_written(std::move(token), text::is_in_word(before) || text::is_in_word(after));
    else if (token.is_plain() && !token.stays)
      add_plain(token);
    else
      out_.push_back(std::move(token));
  }

  std::vector<Token> tokens() && { return std::move(out_); }

 private:
  bool is_unknown(char32_t c, std::string_view character) const {
    return text::is_punctuation(c) && !continues_symbol(c) && !knows_(std::string(character));
  }

  bool is_inside_word(std::size_t from, std::size_t to) const {
    return to < bytes_.size() && text::is_in_word(text::value_before(bytes_, from)) &&
           text::is_in_word(text::code_point_at(bytes_, to).value);
  }

  void add_symbol(std::size_t from, std::size_t to, std::string characters) {
    out_.push_back({.from = from,
                    .to = to,
                    .syntax = Token::Syntax::whole,
                    .text = std::move(characters),
                    .mask = Token::kCloses});
  }

  /// Adds what stands for characters: `&copy;`. A letter that is a word by itself is a symbol, too:
  /// `&pi;`.
  void add_written(Token token, bool is_beside_word) {
    const text::CodePoint point = text::code_point_at(token.text, 0);
    const bool is_one = point.bytes == token.text.size();
    const bool is_unknown_letter = bytes_[token.from] == '&' && text::is_letter(point.value) &&
                                   !is_beside_word && is_one && !knows_(token.text);
    if (is_unknown_letter ||
        (is_one && is_unknown(point.value, token.text) && !is_inside_word(token.from, token.to)))
      add_symbol(token.from, token.to, std::move(token.text));
    else
      out_.push_back(std::move(token));
  }

  void add_plain(const Token& token) {
    const std::string_view bytes = bytes_.substr(0, token.to);
    std::size_t from = token.from;  // bytes of the token before it are added
    const auto add_text = [&](std::size_t to) {
      if (to == from) return;
      out_.push_back(token);
      out_.back().from = from;
      out_.back().to = to;
    };
    for (std::size_t at = token.from; at < token.to;) {
      const std::size_t end = end_of_symbols(bytes, at);
      if (end > at && !is_inside_word(at, end)) {
        add_text(at);
        add_symbol(at, end, std::string(bytes.substr(at, end - at)));
        from = end;
      }
      at = end > at ? end : at + text::code_point_at(bytes, at).bytes;
    }
    add_text(token.to);
  }

  std::size_t end_of_symbols(std::string_view bytes, std::size_t at) const {
    std::size_t end = at;
    while (end < bytes.size()) {
      const text::CodePoint point = text::code_point_at(bytes, end);
      const bool belongs = (end > at && continues_symbol(point.value)) ||
                           is_unknown(point.value, bytes.substr(end, point.bytes));
      if (!belongs) break;
      end += point.bytes;
    }
    return end;
  }

  std::string_view bytes_;
  const Knows& knows_;
  std::vector<Token> out_;
};

/// The first or the last character of a text; 0 where it is none.
char32_t character_of(std::string_view bytes, const Token& token, bool is_last) {
  if (token.syntax != Token::Syntax::text) return 0;
  const std::string_view text =
      token.text.empty() ? bytes.substr(token.from, token.bytes()) : token.text;
  return is_last ? text::value_before(text, text.size()) : text::code_point_at(text, 0).value;
}

}  // namespace

std::vector<Token> with_unknown_symbols(std::string_view bytes, std::vector<Token> tokens,
                                        const Knows& knows) {
  if (!knows) return tokens;
  SymbolCutter cutter(bytes, knows);
  char32_t before = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const char32_t last = character_of(bytes, tokens[i], /*is_last=*/true);
    const char32_t after =
        i + 1 < tokens.size() ? character_of(bytes, tokens[i + 1], /*is_last=*/false) : 0;
    cutter.add(std::move(tokens[i]), before, after);
    before = last;
  }
  return std::move(cutter).tokens();
}

}  // namespace heed::document
