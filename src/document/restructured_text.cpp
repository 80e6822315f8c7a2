#include "document/restructured_text.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/strings.h"
#include "document/lines_of_text.h"
#include "text/characters.h"
#include "text/utf8.h"

namespace heed::document {
namespace {

constexpr std::string_view kRstBlanks = " \t\r\n";
constexpr std::string_view kNameCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:+-";

bool is_ascii_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// Whether markup may begin after what stands before this byte, or end before what begins there.
bool may_begin(std::string_view text, std::size_t at) {
  if (at == 0 || is_one_of(text[at - 1], " \t\r\n'\"([{<-/:")) return true;
  const char32_t c = text::value_before(text, at);
  return c >= 0x80 && (text::is_space(c) || text::is_punctuation(c));
}
bool may_end(std::string_view text, std::size_t at) {
  if (at >= text.size() || is_one_of(text[at], " \t\r\n'\")]}>-/\\:.,;!?")) return true;
  const char32_t c = text::code_point_at(text, at).value;
  return c >= 0x80 && (text::is_space(c) || text::is_punctuation(c));
}

/// Reads the markup from the beginning to the end of a text.
class RestructuredReader {
 public:
  explicit RestructuredReader(std::string_view text) : text_(text) {}

  std::vector<Token> read() {
    while (at_ < text_.size()) {
      const std::size_t before = at_;
      if (text_[at_] == '\\' && at_ + 1 < text_.size())
        add_escape();
      else if (may_begin(text_, at_) || is_after_escape_)
        read_markup();
      if (at_ == before) ++at_;
      is_after_escape_ = before < at_ && !tokens_.empty() && tokens_.back().to == at_ &&
                         text_[before] == '\\' && tokens_.back().syntax == Token::Syntax::whole;
    }
    return std::move(tokens_);
  }

 private:
  std::string_view rest() const { return text_.substr(at_); }

  void add(std::size_t to, Token::Syntax syntax, std::string name = {}) {
    tokens_.push_back({.from = at_, .to = to, .syntax = syntax, .name = std::move(name)});
    at_ = to;
  }
  void add_whole(std::size_t to) {
    add(to, Token::Syntax::whole);
    tokens_.back().is_placeholder = true;
  }

  /// A backslash and what follows it: a character, or nothing where it is a blank.
  void add_escape() {
    const std::size_t bytes = text::code_point_at(text_, at_ + 1).bytes;
    if (is_one_of(text_[at_ + 1], kRstBlanks)) {
      add(at_ + 2, Token::Syntax::whole);
      tokens_.back().mask = Token::kCloses;  // no word
    } else {
      const std::string shown(text_.substr(at_ + 1, bytes));
      add(at_ + 1 + bytes, Token::Syntax::text);
      tokens_.back().text = shown;
    }
  }

  /// The place of the next `mark` that ends what begins at `from`; npos where there is none.
  std::size_t end_of(std::string_view mark, std::size_t from, bool has_escapes = true) const {
    constexpr std::size_t kLongest = 2000;
    if (from >= text_.size() || is_one_of(text_[from], kRstBlanks)) return text_.npos;
    for (std::size_t i = from; i < std::min(text_.size(), from + kLongest); ++i) {
      if (has_escapes && text_[i] == '\\') {
        ++i;
      } else if (i > from && text_.substr(i).starts_with(mark) &&
                 !is_one_of(text_[i - 1], kRstBlanks)) {
        // "**" in strong text ends it at the last two of three.
        return i;
      }
    }
    return text_.npos;
  }

  void read_markup() {
    const char c = text_[at_];
    if (rest().starts_with("``")) {
      const std::size_t end = end_of("``", at_ + 2, false);
      if (end != text_.npos) {
        std::size_t to = end + 2;
        while (to < text_.size() && text_[to] == '`') ++to;
        if (may_end(text_, to)) add_whole(to);
      }
    } else if (c == '`') {
      read_quoted(at_);
    } else if (c == ':') {
      const std::size_t colon = text_.find(':', at_ + 1);
      if (colon != text_.npos && colon > at_ + 1 && colon - at_ < 60 &&
          after_run(text_, kNameCharacters, at_) > colon) {
        std::size_t quote = after_run(text_, kNameCharacters, at_);
        if (quote < text_.size() && text_[quote] == '`' && text_[quote - 1] == ':')
          read_quoted(quote);
      }
    } else if (c == '*') {
      const std::string mark = rest().starts_with("**") ? "**" : "*";
      const std::size_t from = at_ + mark.size();
      const std::size_t end = end_of(mark, from);
      if (end != text_.npos && end > from && may_end(text_, end + mark.size()))
        add_element(from, end, end + mark.size(), mark);
    } else if (c == '|') {
      const std::size_t end = end_of("|", at_ + 1);
      if (end != text_.npos) {
        const std::size_t to = after_run(text_, "_", end + 1);
        if (may_end(text_, to)) add_whole(to);
      }
    } else if (c == '[') {
      const std::size_t end = text_.substr(0, at_ + 100).find_first_of("] \n", at_);
      if (end != text_.npos && text_[end] == ']' && rest().substr(end + 1 - at_).starts_with("_") &&
          may_end(text_, end + 2)) {
        add(end + 2, Token::Syntax::whole);
        tokens_.back().mask = Token::kCloses;  // a note is no word
      }
    } else if (is_ascii_letter_or_digit(c)) {
      const std::size_t end = after_run(text_, kNameCharacters, at_);
      // `name_`; a name with underscores inside such as `a_b` is a word.
      std::size_t to = end;
      while (to > at_ && is_one_of(text_[to - 1], ".:+-")) --to;
      if (to > at_ + 1 && text_[to - 1] == '_' && may_end(text_, to))
        add_whole(to);
      else
        at_ = std::max(at_ + 1, to);
    }
  }

  /// Text in single quotes at `quote`, with its role before or after it.
  void read_quoted(std::size_t quote) {
    const std::size_t end = end_of("`", quote + 1);
    if (end == text_.npos) return;
    const std::string_view role = text_.substr(at_, quote - at_),
                           inside = text_.substr(quote + 1, end - quote - 1);
    std::size_t to = after_run(text_, "_", end + 1);
    if (to == end + 1 && role.empty() && to < text_.size() && text_[to] == ':') {
      const std::size_t name = after_run(text_, kNameCharacters, to);
      if (name > to + 2 && text_[name - 1] == ':') to = name;  // `text`:role:
    }
    if (!may_end(text_, to)) return;
    const std::size_t target = inside.rfind('<');
    const bool has_target = inside.ends_with('>') && target != inside.npos && target > 0 &&
                            is_one_of(inside[target - 1], kRstBlanks);
    static constexpr std::string_view kLinks[] = {
        "", ":ref:", ":doc:", ":term:", ":any:", ":download:", ":std:ref:", ":std:doc:"};
    static constexpr std::string_view kTexts[] = {":dfn:", ":strong:", ":emphasis:"};
    if (has_target && std::ranges::find(kLinks, role) != std::end(kLinks) &&
        (!role.empty() || to > end + 1))
      add_element(quote + 1, quote + 1 + inside.find_last_not_of(kRstBlanks, target - 1) + 1, to,
                  "`");
    else if (std::ranges::find(kTexts, role) != std::end(kTexts))
      add_element(quote + 1, end, to, "`");
    else
      add_whole(to);
  }

  /// An element that begins here; `from` and `end` are the bounds of its text, which has no markup.
  void add_element(std::size_t from, std::size_t end, std::size_t to, const std::string& mark) {
    add(from, Token::Syntax::opening, mark);
    tokens_.back().needs_words = true;
    tokens_.back().mask = Token::kOpens;
    while (at_ < end)
      if (text_[at_] == '\\' && at_ + 1 < end)
        add_escape();
      else
        ++at_;
    at_ = end;
    add(to, Token::Syntax::closing, mark);
    tokens_.back().mask = Token::kCloses;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool is_after_escape_ = false;  // "\ ", after which markup may begin
  std::vector<Token> tokens_;
};

/// The byte after markup that begins at `at` in a message of PO; `at` where none does. All marks
/// that are text have backslashes before them. Strong and emphasised text is two pieces of markup.
std::size_t after_markup(std::string_view written, std::size_t at) {
  constexpr std::size_t kLongest = 2000;
  const std::string_view rest = written.substr(at, kLongest);
  if (rest.starts_with("``")) {
    const std::size_t end = rest.find("``", 2);
    return end == rest.npos ? at : at + end + 2;
  }
  if (rest.starts_with('|')) {
    const std::size_t end = rest.find('|', 1);
    return end == rest.npos ? at : after_run(written, "_", at + end + 1);
  }
  std::size_t quote = 0;
  if (rest.starts_with(':')) {
    quote = after_run(rest, kNameCharacters);
    if (quote < 3 || rest[quote - 1] != ':') return at;
  }
  if (quote >= rest.size() || rest[quote] != '`') return at;
  const std::size_t end = rest.find('`', quote + 1);
  return end == rest.npos ? at : after_run(written, "_", at + end + 1);
}

}  // namespace

std::vector<Token> restructured_markup(std::string_view text) {
  return RestructuredReader(text).read();
}

std::string with_restructured_escapes(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool ends_name = text[i] == '_' && i > 0 && is_ascii_letter_or_digit(text[i - 1]) &&
                           (i + 1 == text.size() || !is_ascii_letter_or_digit(text[i + 1]));
    if (is_one_of(text[i], "\\*`|") || ends_name) out += '\\';
    out += text[i];
  }
  return out;
}

std::string with_markup_apart(std::string_view written) {
  constexpr std::string_view kApart = "\\\\ ";  // a backslash and a blank, in the quotes of PO
  std::string out;
  const auto is_word = [](char32_t c) { return text::is_letter(c) || (c >= U'0' && c <= U'9'); };
  const auto is_word_before = [&](std::size_t at) {
    return is_word(text::value_before(written, at));
  };
  const auto is_word_at = [&](std::size_t at) {
    return at < written.size() && is_word(text::code_point_at(written, at).value);
  };
  bool is_inside = false;  // of strong or emphasised text
  for (std::size_t at = 0; at < written.size();) {
    if (written[at] == '\\') {
      const std::size_t bytes = written.substr(at).starts_with("\\\\") ? 3 : 2;
      out += written.substr(at, bytes);
      at = std::min(at + bytes, written.size());
      continue;
    }
    std::size_t end = after_markup(written, at);
    const bool is_mark = written[at] == '*';
    if (is_mark) end = after_run(written, "*", at);
    if (end == at) {
      out += written[at++];
      continue;
    }
    if ((!is_mark || !is_inside) && is_word_before(at)) out += kApart;
    out += written.substr(at, end - at);
    if (is_mark) is_inside = !is_inside;
    if ((!is_mark || !is_inside) && is_word_at(end)) out += kApart;
    at = end;
  }
  return out;
}

}  // namespace heed::document
