#include "document/cue_tokens.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/strings.h"
#include "document/lines_of_text.h"
#include "text/characters.h"
#include "text/references.h"
#include "text/utf8.h"

namespace heed::document {
namespace {

constexpr std::size_t kLongestCueTag = 1000;  // bytes

bool is_digit_of_ascii(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter_of_ascii(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Goes through the text of a cue.
class CueReader {
 public:
  CueReader(std::string_view bytes, ByteRange cue, const CueSyntax& syntax)
      : text_(bytes.substr(0, cue.to)), syntax_(syntax), at_(cue.from), plain_(cue.from) {}

  std::vector<Token> tokens() && {
    while (at_ < text_.size())
      if (!read()) ++at_;
    add_plain(text_.size());
    return std::move(tokens_);
  }

 private:
  /// Where the next `mark` is, from at_ on. Each byte is looked at once.
  struct Next {
    char mark;
    std::size_t at = 0;
    std::size_t from(std::string_view text, std::size_t begin) {
      if (at < begin || at == 0) at = text.find(mark, begin);
      return at;
    }
  };

  std::string_view rest() const { return text_.substr(at_); }

  /// Adds the token that begins at at_; false: a character of the text begins there.
  bool read() {
    const char c = text_[at_];
    if (c == '\n' || c == '\r') return add_break(at_ + 1);
    for (const std::string_view mark : syntax_.breaks)
      if (rest().starts_with(mark)) return add_break(at_ + mark.size());
    for (const std::string_view mark : syntax_.blanks)
      if (rest().starts_with(mark)) return add(mark.size(), Token::Syntax::text, " ");
    if (c == '<') return syntax_.has_tags && read_tag();
    if (c == '&') return syntax_.has_references && read_reference();
    if (c == '{') return read_braces();
    const std::size_t notes = notes_at(rest());
    return notes > 0 && add(notes, Token::Syntax::whole);
  }

  bool read_tag() {
    const std::size_t close = close_tag_.from(text_, at_);
    if (close == std::string_view::npos || close - at_ > kLongestCueTag) return false;
    std::string_view tag = text_.substr(at_ + 1, close - at_ - 1);
    const bool closes = tag.starts_with('/'), is_empty = tag.ends_with('/');
    if (closes) tag.remove_prefix(1);
    if (tag.empty()) return false;
    const std::size_t bytes = close + 1 - at_;
    if (!closes && is_digit_of_ascii(tag[0]) && after_run(tag, "0123456789:. ") == tag.size()) {
      // Opened and never closed: times keep their order, and stand before the next word.
      add(bytes, Token::Syntax::opening);
      tokens_.back().name = "<time>";
      return true;
    }
    if (!is_letter_of_ascii(tag[0])) return false;
    const std::string name =
        ascii_lower(tag.substr(0, std::min(tag.find_first_of(" \t\r\n./"), tag.size())));
    if (name == "br") return add_break(close + 1);
    if (is_empty) return add(bytes, Token::Syntax::whole);
    if (name == "rt" && !closes) return add(bytes_of_reading(bytes), Token::Syntax::whole);
    return add_element(bytes, name, closes);
  }

  /// Bytes of the reading in `<ruby>text<rt>reading</rt></ruby>`, whose tag has `bytes`. It is no
  /// part of the sentence.
  std::size_t bytes_of_reading(std::size_t bytes) const {
    const std::string_view after = rest().substr(bytes);
    const std::size_t end = std::min(after.find('<'), after.size());
    constexpr std::string_view kEnd = "</rt>";
    return bytes + end + (after.substr(end).starts_with(kEnd) ? kEnd.size() : 0);
  }

  bool read_reference() {
    const auto reference = text::reference_at(text_, at_);
    if (!reference) return false;
    const char32_t c = reference->character.value_or(U' ');
    // Marks of direction and zero-width blanks have to stay where they are.
    const bool is_shown = !text::is_space(c) && c != U'\u00AD' && c != U'\uFEFF' &&
                          !(c >= U'\u200B' && c <= U'\u200F') &&
                          !(c >= U'\u202A' && c <= U'\u202E') &&
                          !(c >= U'\u2060' && c <= U'\u206F');
    return is_shown
               ? add(reference->bytes, Token::Syntax::text, text::encode_utf8(std::u32string(1, c)))
               : add(reference->bytes, Token::Syntax::whole);
  }

  bool read_braces() {
    const std::size_t close = close_brace_.from(text_, at_);
    if (close == std::string_view::npos) return false;
    const std::string_view inside = text_.substr(at_ + 1, close - at_ - 1);
    const bool is_setting = inside.starts_with('\\') || (inside.size() > 1 && inside[1] == ':' &&
                                                         is_one_of(inside[0], "CcFfoPSsYy"));
    if (!syntax_.has_all_braces && !is_setting) return false;
    const std::size_t bytes = close + 1 - at_;
    if (inside.size() == 3 && inside[0] == '\\' && is_one_of(inside[1], "ibus") &&
        is_one_of(inside[2], "01"))
      return add_element(bytes, std::string(inside.substr(0, 2)), inside[2] == '0');
    if (syntax_.has_drawings && drawing_of(inside).value_or(false)) {
      add(after_drawing(close + 1) - at_, Token::Syntax::whole);
    } else {
      add(bytes, Token::Syntax::whole);
    }
    tokens_.back().mask = Token::kOpens;
    return true;
  }

  /// What the last `\p` in braces says: true: drawings begin, false: they end; nothing: there is
  /// none.
  static std::optional<bool> drawing_of(std::string_view inside) {
    std::optional<bool> draws;
    for (std::size_t at = 0; (at = inside.find("\\p", at)) != inside.npos; at += 2)
      if (at + 2 < inside.size() && is_digit_of_ascii(inside[at + 2]))
        draws = inside[at + 2] != '0';
    return draws;
  }

  /// The position after the braces that end the drawing before `at`, or the end of the text.
  std::size_t after_drawing(std::size_t at) const {
    while ((at = text_.find('{', at)) < text_.size()) {
      const std::size_t close = text_.find('}', at);
      if (close == std::string_view::npos) break;
      const bool draws = drawing_of(text_.substr(at, close - at)).value_or(true);
      at = close + 1;
      if (!draws) return at;
    }
    return text_.size();
  }

  bool add_element(std::size_t bytes, std::string name, bool closes) {
    add(bytes, closes ? Token::Syntax::closing : Token::Syntax::opening);
    tokens_.back().name = std::move(name);
    tokens_.back().mask = closes ? Token::kCloses : Token::kOpens;
    return true;
  }

  bool add(std::size_t bytes, Token::Syntax syntax, std::string text = {}) {
    add_plain(at_);
    tokens_.push_back({.from = at_, .to = at_ + bytes, .syntax = syntax, .text = std::move(text)});
    plain_ = at_ = at_ + bytes;
    return true;
  }

  /// Adds a line break from at_ to `to`, with the blanks around it and the breaks that follow.
  bool add_break(std::size_t to) {
    std::size_t from = at_;
    while (from > plain_ && is_one_of(text_[from - 1], " \t")) --from;
    add_plain(from);
    to = after_run(text_, " \t\r\n", to);
    if (!tokens_.empty() && tokens_.back().syntax == Token::Syntax::line_break)
      tokens_.back().to = to;
    else
      tokens_.push_back({.from = from, .to = to, .syntax = Token::Syntax::line_break});
    plain_ = at_ = to;
    return true;
  }

  /// Adds the text before `to` that is in no token.
  void add_plain(std::size_t to) {
    if (plain_ < to) tokens_.push_back({.from = plain_, .to = to});
    plain_ = to;
  }

  std::string_view text_;
  const CueSyntax& syntax_;
  std::size_t at_;
  std::size_t plain_;  // where the text begins that is in no token
  Next close_tag_{'>'}, close_brace_{'}'};
  std::vector<Token> tokens_;
};

}  // namespace

std::size_t notes_at(std::string_view text) {
  std::size_t bytes = 0;
  for (bool found = true; found;) {
    found = false;
    for (const std::string_view note : {"♪", "♫", "♩", "♬", "🎵", "🎶"})
      if (text.substr(bytes).starts_with(note)) {
        bytes += note.size();
        found = true;
      }
  }
  return bytes;
}

std::vector<Token> tokens_of_cue(std::string_view bytes, ByteRange cue, const CueSyntax& syntax) {
  return CueReader(bytes, cue, syntax).tokens();
}

}  // namespace heed::document
