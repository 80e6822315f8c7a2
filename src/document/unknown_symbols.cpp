#include "document/unknown_symbols.h"

#include <cstddef>
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

  void add(Token token) {
    if (token.syntax == Token::Syntax::text && !token.stays && !token.text.empty())
      add_written(std::move(token));
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

  /// Adds what stands for characters: `&copy;`.
  void add_written(Token token) {
    const text::CodePoint point = text::code_point_at(token.text, 0);
    if (point.bytes == token.text.size() && is_unknown(point.value, token.text) &&
        !is_inside_word(token.from, token.to))
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

}  // namespace

std::vector<Token> with_unknown_symbols(std::string_view bytes, std::vector<Token> tokens,
                                        const Knows& knows) {
  if (!knows) return tokens;
  SymbolCutter cutter(bytes, knows);
  for (Token& token : tokens) cutter.add(std::move(token));
  return std::move(cutter).tokens();
}

}  // namespace heed::document
