#include "document/restructured_text.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/strings.h"
#include "document/lines_of_text.h"
#include "text/characters.h"
#include "text/utf8.h"
#include "text/words.h"

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
    tokens_.back().needs_words = mark != "`";
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

/// Reads the markup of a translation as a message of PO has it, in one or several strings. All
/// marks that are text have backslashes before them.
class WrittenMarkup {
 public:
  explicit WrittenMarkup(std::string_view written) : written_(written) {}

  std::string read() {
    while (at_ < written_.size()) {
      if (written_[at_] == '\\')
        copy(written_.substr(at_).starts_with("\\\\") ? 3 : 2);
      else if (written_[at_] == '*')
        add_mark();
      else if (const std::size_t end = end_of_markup(); end > at_)
        add_markup(end);
      else
        copy(1);
    }
    return std::move(out_);
  }

 private:
  static constexpr std::string_view kApart = "\\\\ ";  // a backslash and a blank, in quotes

  void copy(std::size_t bytes) {
    out_ += written_.substr(at_, bytes);
    at_ = std::min(at_ + bytes, written_.size());
  }

  /// Whether markup may begin at `at`, after what the message has before it.
  bool may_begin_at(std::size_t at) const {
    while (at > 0 && written_[at - 1] == '"' && (at < 2 || written_[at - 2] != '\\')) {
      const std::size_t end = written_.rfind('"', at - 2);  // of the string before
      if (at < 2 || end == written_.npos) return true;
      at = end;
    }
    return (at > 1 && written_[at - 2] == '\\') || may_begin(written_, at);
  }
  bool may_end_at(std::size_t at) const {
    while (at < written_.size() && written_[at] == '"') {
      const std::size_t next = written_.find('"', at + 1);
      if (next == written_.npos) return true;
      at = next + 1;
    }
    return may_end(written_, at);
  }

  /// The byte after markup that begins here, but for emphasis; here where none does.
  std::size_t end_of_markup() const {
    constexpr std::size_t kLongest = 2000;
    const std::string_view rest = written_.substr(at_, kLongest);
    const auto after = [&](std::string_view mark, std::size_t from) {
      const std::size_t end = rest.find(mark, from);
      return end == rest.npos ? at_ : after_run(written_, "_", at_ + end + mark.size());
    };
    if (rest.starts_with("``")) return after("``", 2);
    if (rest.starts_with('|')) return after("|", 1);
    std::size_t quote = 0;
    if (rest.starts_with(':')) {
      quote = after_run(rest, kNameCharacters);
      if (quote < 3 || rest[quote - 1] != ':') return at_;
    }
    return quote < rest.size() && rest[quote] == '`' ? after("`", quote + 1) : at_;
  }

  void add_markup(std::size_t end) {
    if (!may_begin_at(at_) && !out_.ends_with(kApart)) out_ += kApart;
    std::string markup(written_.substr(at_, end - at_));
    repair_target(markup);
    out_ += markup;
    at_ = end;
    if (!may_end_at(at_)) out_ += kApart;
  }

  /// Puts a blank before the target of a link. One that has lost its text shows its target.
  static void repair_target(std::string& markup) {
    const std::size_t quote = markup.find('`'), end = markup.rfind(">`"),
                      target = markup.rfind('<', end);
    if (end == markup.npos || target == markup.npos || markup.starts_with("``")) return;
    if (text::is_blank(markup.substr(quote + 1, target - quote - 1))) {
      const bool is_role = quote > 0;
      if (is_role) markup.erase(end, 1);
      markup.erase(quote + 1, target - quote - 1 + (is_role ? 1 : 0));
    } else {
      std::size_t before = target;  // after the text, which may end in another string
      while (before > 1 && before != markup.npos && markup[before - 1] == '"')
        before = markup.rfind('"', before - 2);
      if (before > 0 && before != markup.npos && markup[before - 1] != ' ')
        markup.insert(target, 1, ' ');
    }
  }

  /// Adds the marks before or after emphasised text.
  void add_mark() {
    const bool opens = open_.empty();
    if (opens) {
      open_ = written_.substr(at_).starts_with("**") ? "**" : "*";
      if (!may_begin_at(at_) && !out_.ends_with(kApart)) out_ += kApart;
      copy(open_.size());
    } else {
      copy(open_.size());
      open_.clear();
      if (!may_end_at(at_)) out_ += kApart;
    }
  }

  std::string_view written_;
  std::size_t at_ = 0;
  std::string out_;
  std::string open_;  // the marks of emphasis around this place
};

}  // namespace

std::vector<Token> restructured_markup(std::string_view text) {
  return RestructuredReader(text).read();
}

bool shows_restructured_text(std::string_view text) {
  if (text.find('`') == text.npos) return false;
  return std::ranges::any_of(restructured_markup(text), [&](const Token& token) {
    const std::string_view markup = text.substr(token.from, token.bytes());
    return markup.find(":`") != markup.npos || markup.starts_with("``");
  });
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
  return WrittenMarkup(written).read();
}

}  // namespace heed::document
