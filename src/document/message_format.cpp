#include "document/message_format.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "document/lines_of_text.h"
#include "document/placeholders.h"
#include "document/token.h"
#include "text/characters.h"
#include "text/references.h"
#include "text/script.h"
#include "text/utf8.h"
#include "text/words.h"

namespace heed::document {
namespace {

constexpr std::string_view kIcuBlanks = " \t\r\n";
constexpr int kDeepestChoice = 16;

/// The texts of a choice and what is between them, as positions of a text.
struct Choice {
  ByteRange all;
  std::vector<ByteRange> syntax;   // in order: what is no text
  std::vector<std::size_t> marks;  // "#", for which the number is put
};

/// Reads the choices of a message. In the text a byte that no message has stands for what is no
/// text, such as a tag.
class MessageReader {
 public:
  explicit MessageReader(std::string_view text) : text_(text) {}

  /// The choices; none where the braces do not fit together.
  std::vector<Choice> read() {
    std::vector<Choice> out;
    for (at_ = 0; at_ < text_.size(); ++at_) {
      if (is_quoted()) continue;
      if (text_[at_] == '}') return {};
      if (text_[at_] != '{') continue;
      const std::size_t from = at_;
      now_ = {};
      if (const auto is_choice = argument(0); !is_choice)
        return {};
      else if (*is_choice)
        out.push_back({{from, at_}, std::move(now_.syntax), std::move(now_.marks)});
      --at_;
    }
    return out;
  }

 private:
  void skip_blanks() { at_ = after_run(text_, kIcuBlanks, at_); }
  bool take(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::string_view word() {
    skip_blanks();
    const std::size_t from = at_;
    at_ = std::min(text_.find_first_of(" \t\r\n,{}#\x01", at_), text_.size());
    return text_.substr(from, at_ - from);
  }
  /// Whether a brace in apostrophes is here, which is text; moves to its end.
  bool is_quoted() {
    if (text_[at_] != '\'' || at_ + 2 >= text_.size() || !is_one_of(text_[at_ + 1], "{}") ||
        text_[at_ + 2] != '\'')
      return false;
    at_ += 2;
    return true;
  }

  /// Moves after the argument that begins here. Whether it is a choice; none where it does not end.
  std::optional<bool> argument(int depth) {
    const std::size_t from = at_++;
    const std::string_view name = word();
    if (!name.empty() && take(',')) {
      const std::string_view kind = word();
      if (kind == "plural" || kind == "selectordinal" || kind == "select")
        return take(',') && depth < kDeepestChoice && arms(from, kind != "select", depth)
                   ? std::optional(true)
                   : std::nullopt;
    }
    at_ = from;
    for (int64_t open = 0; at_ < text_.size(); ++at_) {
      if (text_[at_] == '{') ++open;
      if (text_[at_] == '}' && --open == 0) {
        ++at_;
        return false;
      }
    }
    return std::nullopt;
  }

  /// Moves after the arms of the choice that begins at `from`, such as `one {# file}`.
  bool arms(std::size_t from, bool has_numbers, int depth) {
    plurals_ += has_numbers ? 1 : 0;
    std::size_t syntax_from = from;
    bool has_arms = false;
    for (;;) {
      if (take('}')) break;
      std::string_view selector = word();
      if (selector.starts_with("offset:")) {
        if (selector.size() == std::string_view("offset:").size()) word();
        selector = word();
      }
      if (selector.empty() || !take('{')) return false;
      now_.syntax.push_back({syntax_from, at_});
      has_arms = true;
      if (!arm(depth)) return false;
      syntax_from = at_ - 1;
    }
    now_.syntax.push_back({syntax_from, at_});
    plurals_ -= has_numbers ? 1 : 0;
    return has_arms;
  }

  /// Moves after the brace that ends a text.
  bool arm(int depth) {
    for (; at_ < text_.size(); ++at_) {
      if (is_quoted()) continue;
      if (text_[at_] == '#' && plurals_ > 0) now_.marks.push_back(at_);
      if (text_[at_] == '}') {
        ++at_;
        return true;
      }
      if (text_[at_] != '{') continue;
      if (!argument(depth + 1)) return false;
      --at_;
    }
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int plurals_ = 0;  // around what is read
  Choice now_;
};

/// Whether the token is a placeholder in braces, which may be a text of a choice: `{him}`.
bool is_in_braces(std::string_view bytes, const Token& token) {
  const std::string_view all = bytes.substr(token.from, token.bytes());
  return token.is_placeholder && all.starts_with('{') && all.find_first_of("\\&<") == all.npos;
}

/// The characters of tokens, and where they are.
class TokenText {
 public:
  TokenText(std::string_view bytes, const std::vector<Token>& tokens) {
    for (const Token& token : tokens) {
      const bool is_text = token.syntax == Token::Syntax::text,
                 is_shown = token.is_plain() || is_in_braces(bytes, token);
      if (is_shown)
        text_ += bytes.substr(token.from, token.bytes());
      else
        text_ += is_text && token.text.size() == 1 ? token.text
                 : token.syntax == Token::Syntax::line_break || token.syntax == Token::Syntax::block
                     ? "\n"
                     : "\x01";
      for (std::size_t i = 0; bytes_.size() < text_.size(); ++i)
        bytes_.push_back(token.from + (is_shown ? i : 0));
      end_ = token.to;
    }
  }

  std::string_view text() const { return text_; }
  /// The byte of the document at a position of the text.
  std::size_t byte(std::size_t at) const { return at < bytes_.size() ? bytes_[at] : end_; }
  ByteRange bytes(ByteRange range) const { return {byte(range.from), byte(range.to)}; }

 private:
  std::string text_;
  std::vector<std::size_t> bytes_;
  std::size_t end_ = 0;
};

/// The tokens of these bytes. A part of a placeholder in braces is text, or one itself.
std::vector<Token> tokens_in(std::string_view bytes, const std::vector<Token>& tokens,
                             ByteRange range) {
  std::vector<Token> out;
  if (range.is_empty()) return out;
  auto token = std::ranges::upper_bound(tokens, range.from, {}, &Token::to);
  for (; token != tokens.end() && token->from < range.to; ++token) {
    Token& part = out.emplace_back(*token);
    part.from = std::max(part.from, range.from);
    part.to = std::min(part.to, range.to);
    if (part.bytes() < token->bytes() && token->syntax == Token::Syntax::whole &&
        brace_placeholder(bytes.substr(0, part.to), part.from) != part.bytes())
      part = {.from = part.from, .to = part.to};
  }
  return out;
}

void append(std::vector<Token>& out, std::vector<Token> more) {
  std::ranges::move(more, std::back_inserter(out));
}

/// The tokens of these bytes, with the syntax of a choice as blocks.
std::vector<Token> tokens_of_choice(std::string_view bytes, const std::vector<Token>& tokens,
                                    const TokenText& text, const Choice& choice, ByteRange all) {
  std::vector<Token> out;
  std::size_t at = all.from;
  const auto add = [&](ByteRange part, Token token) {
    append(out, tokens_in(bytes, tokens, {at, part.from}));
    token.from = part.from;
    token.to = at = part.to;
    out.push_back(std::move(token));
  };
  auto mark = choice.marks.begin();
  const auto add_marks = [&](std::size_t before) {
    for (; mark != choice.marks.end() && *mark < before; ++mark)
      if (text.byte(*mark) >= at && text.byte(*mark + 1) <= all.to)
        add(text.bytes({*mark, *mark + 1}),
            {.syntax = Token::Syntax::whole, .is_placeholder = true});
  };
  for (const ByteRange& syntax : choice.syntax) {
    add_marks(syntax.from);
    const ByteRange part = text.bytes(syntax);
    if (part.from >= at && part.to <= all.to) add(part, {.syntax = Token::Syntax::block});
  }
  add_marks(choice.all.to);
  append(out, tokens_in(bytes, tokens, {at, all.to}));
  return out;
}

/// Bytes of the interval before a form that begins at `at`, `{0}`, `{1,2}`, `]1,Inf]` or `[2, 4[`,
/// with the blanks after it; 0: there is none.
std::size_t bytes_of_interval(std::string_view text, std::size_t at) {
  if (at >= text.size() || !is_one_of(text[at], "{[]")) return 0;
  const std::size_t end = after_run(text, "-+0123456789,.Inf *", at + 1);
  const std::string_view inside = text.substr(at + 1, end - at - 1);
  if (end == text.size() || inside.find_first_of("0123456789") == inside.npos ||
      !is_one_of(text[end], text[at] == '{' ? "}" : "[]") ||
      (text[at] != '{' && inside.find(',') == inside.npos))
    return 0;
  return after_run(text, kIcuBlanks, end + 1) - at;
}

/// The places of `|` between forms.
std::vector<std::size_t> bars_in(std::string_view text) {
  std::vector<std::size_t> bars;
  constexpr std::string_view kNoForm = " \t\r\n|";
  for (std::size_t at = 0; at + 1 < text.size(); ++at) {
    if (text[at] == '|' && at > 0 && !is_one_of(text[at - 1], kNoForm) &&
        !is_one_of(text[at + 1], kNoForm))
      bars.push_back(at);
    // That of {{ name|upper }} is none.
    at += std::max<std::size_t>(brace_placeholder(text, at), 1) - 1;
  }
  return bars;
}

}  // namespace

bool shows_forms(std::string_view text) {
  const std::vector<std::size_t> bars = bars_in(text);
  if (bars.empty()) return false;
  std::vector<std::string_view> items;  // of the forms before
  std::size_t from = 0;
  for (std::size_t i = 0; i <= bars.size(); ++i) {
    const std::size_t to = i < bars.size() ? bars[i] : text.size();
    if (bytes_of_interval(text, from) > 0) return true;
    std::vector<std::string_view> own;
    for (std::size_t at = from; at < to;) {
      const std::size_t bytes = likely_placeholder(text.substr(0, to), at);
      if (bytes > 0) own.push_back(text.substr(at, bytes));
      at += std::max<std::size_t>(bytes, 1);
    }
    if (std::ranges::any_of(own, [&](std::string_view item) {
          return std::ranges::find(items, item) != items.end();
        }))
      return true;
    items.insert(items.end(), own.begin(), own.end());
    from = to + 1;
  }
  return false;
}

void divide_forms(std::string_view bytes, Passage& passage) {
  if (passage.tokens.empty()) return;
  const TokenText text(bytes, passage.tokens);
  const std::vector<std::size_t> bars = bars_in(text.text());
  if (bars.empty()) return;
  const ByteRange all{passage.tokens.front().from, passage.tokens.back().to};
  Choice forms{{0, text.text().size()}, {}, {}};
  if (const std::size_t interval = bytes_of_interval(text.text(), 0); interval > 0)
    forms.syntax.push_back({0, interval});
  for (const std::size_t bar : bars)
    forms.syntax.push_back({bar, bar + 1 + bytes_of_interval(text.text(), bar + 1)});
  passage.tokens = tokens_of_choice(bytes, passage.tokens, text, forms, all);
}

ReferenceWriting reference_writing(std::string_view bytes, const std::vector<Token>& tokens,
                                   std::string_view begin) {
  ReferenceWriting writing;
  std::map<std::string, std::string> references;  // by character
  for (const Token& token : tokens) {
    const std::string_view written = bytes.substr(token.from, token.bytes());
    if (token.is_plain() || token.is_placeholder || !written.starts_with(begin) ||
        !written.ends_with(';') || written.size() <= begin.size())
      continue;
    writing.has_any = true;
    writing.has_quotes |= token.text == "\"" || token.text == "'";
    if (token.text.size() > 1) references.emplace(token.text, written);
  }
  if (!references.empty())
    writing.enclosed = [references = std::move(references)](std::string_view text) {
      std::string out(text);
      for (const auto& [character, reference] : references)
        for (std::size_t at = 0; (at = out.find(character, at)) != out.npos; at += reference.size())
          out.replace(at, character.size(), reference);
      return out;
    };
  return writing;
}

void divide_message(std::string_view bytes, Passage& passage) {
  if (passage.tokens.empty()) return;
  const TokenText text(bytes, passage.tokens);
  if (text.text().find("{") == std::string_view::npos ||
      (text.text().find("plural") == std::string_view::npos &&
       text.text().find("select") == std::string_view::npos))
    return;
  const std::vector<Choice> choices = MessageReader(text.text()).read();
  if (choices.empty()) return;
  const ByteRange all{passage.tokens.front().from, passage.tokens.back().to};
  const auto is_blank = [&](std::size_t from, std::size_t to) {
    return text::is_blank(text.text().substr(from, to - from));
  };
  const Choice& first = choices.front();
  if (choices.size() == 1 && is_blank(0, first.all.from) &&
      is_blank(first.all.to, text.text().size())) {
    passage.tokens = tokens_of_choice(bytes, passage.tokens, text, first, all);
    return;
  }
  std::vector<Token> tokens;
  std::size_t at = all.from;
  for (const Choice& choice : choices) {
    const ByteRange whole = text.bytes(choice.all);
    append(tokens, tokens_in(bytes, passage.tokens, {at, whole.from}));
    tokens.push_back({.from = whole.from,
                      .to = whole.to,
                      .syntax = Token::Syntax::whole,
                      .is_placeholder = true});
    Passage inside;
    inside.tokens = tokens_of_choice(bytes, passage.tokens, text, choice, whole);
    inside.writing = passage.writing;
    passage.inside.push_back(std::move(inside));
    at = whole.to;
  }
  append(tokens, tokens_in(bytes, passage.tokens, {at, all.to}));
  passage.tokens = std::move(tokens);
}

}  // namespace heed::document
