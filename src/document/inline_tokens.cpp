#include "document/inline_tokens.h"

#include <algorithm>
#include <array>
#include <utility>

#include "document/lines_of_text.h"
#include "document/markup_tokens.h"
#include "text/characters.h"
#include "text/kept.h"
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

/// Bytes up to the end of the next run of exactly `run` backticks, with which `rest` begins; 0
/// where there is none within kLongestMarkup bytes.
std::size_t up_to_backticks(std::string_view rest, std::size_t run) {
  const std::string_view near = rest.substr(0, kLongestMarkup);
  for (std::size_t at = run; (at = near.find('`', at)) != near.npos;) {
    const std::size_t end = after_run(rest, "`", at);
    if (end - at == run) return end;
    at = end;
  }
  return 0;
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

/// Adds the reference, such as &amp;, that begins at `at`; returns its bytes or 0. For the model a
/// letter, and what stands inside a word, is a character; any other reference stays as it is.
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

/// Bytes of the address or name of a link, ( ... ) or [ ... ], that `rest` begins with, or 0.
std::size_t bytes_of_target(std::string_view rest) {
  if (rest.starts_with('[')) return up_to(rest, "]");
  constexpr int kDeepest = 32;  // limit of CommonMark
  int depth = 0;
  for (std::size_t i = 0; rest.starts_with('(') && i < rest.size() && depth < kDeepest; ++i) {
    depth += rest[i] == '(' ? 1 : rest[i] == ')' ? -1 : 0;
    if (depth == 0) return i + 1;
    if (i > kLongestMarkup && rest[i] == ' ') break;  // an embedded picture has no blanks
  }
  return 0;
}

constexpr std::size_t kLongestInsert = 1000;  // bytes in which its end is looked for

/// Bytes of a tag of a template, {{ name }} or {% include x %}, that `rest` begins with, or 0.
std::size_t bytes_of_template(std::string_view rest) {
  const std::string_view near = rest.substr(0, kLongestInsert);
  if (near.starts_with("{{")) return up_to(near, "}}", 2);
  return near.starts_with("{%") ? up_to(near, "%}", 2) : 0;
}

/// Bytes of a formula, $x$ or $$x$$, that begins at `at`, or 0. No blank is inside beside a single
/// $, and no letter or digit outside: "$5 and $6" and "5$ and 6$" are prices, "$HOME/$USER" is
/// none.
std::size_t bytes_of_formula(std::string_view text, std::size_t at) {
  const std::string_view near = text.substr(at, kLongestInsert);
  if (near.starts_with("$$")) return up_to(near, "$$", 2);
  if (near.size() < 3 || is_one_of(near[1], " \t") ||
      text::is_in_word(text::value_before(text, at)))
    return 0;
  for (std::size_t end = 1; (end = near.find('$', end)) != near.npos; ++end)
    if (!is_one_of(near[end - 1], " \t\\"))
      return end + 1 < near.size() && text::is_in_word(text::code_point_at(near, end + 1).value)
                 ? 0
                 : end + 1;
  return 0;
}

/// Bytes of the name of a picture, :rocket:, that begins at `at` after a blank, or 0.
std::size_t bytes_of_emoji(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at + 1);
  const std::size_t end = after_run(rest, "abcdefghijklmnopqrstuvwxyz0123456789_+-");
  const bool is_free = at == 0 || is_one_of(text[at - 1], " \t:");
  return is_free && end > 1 && rest.substr(end).starts_with(':') ? end + 2 : 0;
}

constexpr std::string_view kMarks = "*_~";  // of emphasis

/// A run of marks of emphasis that are not yet tokens.
struct EmphasisRun {
  std::size_t from = 0, to = 0;
  char mark = '*';
  std::size_t whole = 0;  // how many marks the run had
  bool opens = false, closes = false;

  std::size_t size() const { return to - from; }
};

/// Finds emphasis as CommonMark 0.31.2 does (appendix, "process emphasis"), and ~~ of GitHub.
class Emphasis {
 public:
  /// Adds the run of marks at the beginning of text[at...]; returns its bytes.
  std::size_t add(std::string_view text, std::size_t at) {
    EmphasisRun run{.from = at, .to = after_run(text, text.substr(at, 1), at), .mark = text[at]};
    run.whole = run.size();
    if (run.mark == '~' && run.whole != 2) return run.whole;
    const char32_t before = at > 0 ? text::value_before(text, at) : U' ',
                   next = run.to < text.size() ? text::code_point_at(text, run.to).value : U' ';
    const bool is_after_blank = text::is_space(before), is_before_blank = text::is_space(next),
               is_after_mark = text::is_punctuation(before),
               is_before_mark = text::is_punctuation(next);
    const bool is_left = !is_before_blank && (!is_before_mark || is_after_blank || is_after_mark);
    const bool is_right = !is_after_blank && (!is_after_mark || is_before_blank || is_before_mark);
    run.opens = is_left && (run.mark != '_' || !is_right || is_after_mark);
    run.closes = is_right && (run.mark != '_' || !is_left || is_before_mark);
    if (run.opens || run.closes) runs_.push_back(run);
    return run.whole;
  }

  /// How many runs there are that no text of a link has closed in.
  std::size_t count() const { return runs_.size(); }

  /// Adds the tokens of the runs from `first` on, and forgets these runs.
  void find(std::size_t first, std::vector<Token>& tokens) {
    std::vector<EmphasisRun> open;
    // By kind of closing run: below this index no run opens it.
    std::array<std::size_t, 3 * 3 * 2> bottom{};
    for (std::size_t i = first; i < runs_.size(); ++i) {
      EmphasisRun run = runs_[i];
      while (run.closes && run.size() > 0) {
        std::size_t& least = bottom[kMarks.find(run.mark) * 6 + run.whole % 3 * 2 + run.opens];
        std::size_t at = open.size();
        while (at > least && !opens(open[at - 1], run)) --at;
        if (at <= least) {
          least = open.size();
          break;
        }
        open.resize(at);
        join(open.back(), run, tokens);
        if (open.back().size() == 0) open.pop_back();
        for (std::size_t& one : bottom) one = std::min(one, open.size());
      }
      if (run.opens && run.size() > 0) open.push_back(run);
    }
    runs_.resize(first);
  }

 private:
  static bool opens(const EmphasisRun& run, const EmphasisRun& closing) {
    if (run.mark != closing.mark || (run.mark == '~' && run.size() != closing.size())) return false;
    const bool is_either = run.closes || closing.opens;
    return !is_either || (run.whole + closing.whole) % 3 > 0 ||
           (run.whole % 3 == 0 && closing.whole % 3 == 0);
  }

  static void join(EmphasisRun& run, EmphasisRun& closing, std::vector<Token>& tokens) {
    const std::size_t marks = run.size() > 1 && closing.size() > 1 ? 2 : 1;
    const std::string name(marks, run.mark);
    tokens.push_back({.from = run.to - marks,
                      .to = run.to,
                      .syntax = Token::Syntax::opening,
                      .name = name,
                      .mask = Token::kOpens,
                      .needs_words = true});
    tokens.push_back({.from = closing.from,
                      .to = closing.from + marks,
                      .syntax = Token::Syntax::closing,
                      .name = name,
                      .mask = Token::kCloses,
                      .needs_words = true});
    run.to -= marks;
    closing.from += marks;
  }

  std::vector<EmphasisRun> runs_;
};

constexpr std::string_view kLink = "[";  // the name of links and images

/// Goes through the text of Markdown.
class MarkdownReader {
 public:
  explicit MarkdownReader(std::string_view text) : text_(text), tags_(after_tags(text)) {}

  std::vector<Token> tokens() && {
    for (std::size_t at = 0; at < text_.size();) at += std::max<std::size_t>(read(at), 1);
    emphasis_.find(0, tokens_);
    std::ranges::sort(tokens_, {}, &Token::from);
    return std::move(tokens_);
  }

 private:
  struct Bracket {
    std::size_t from, emphasis;  // where [ or ![ is, and how many runs of marks come before it
  };

  /// Reads what begins at `at`; returns its bytes, or 0 for a character of the text.
  std::size_t read(std::size_t at) {
    const std::string_view rest = text_.substr(at);
    if (rest[0] == '\\') return 2;
    if (is_one_of(rest[0], kMarks)) return emphasis_.add(text_, at);
    if (rest[0] == '`') {
      const std::size_t run = after_run(rest, "`");
      return std::max(add(at, up_to_backticks(rest, run)), run);
    }
    if (rest[0] == '<') return at < tags_ ? add_tag(text_, at, tokens_) : 0;
    if (rest[0] == '&') return add_reference(text_, at, tokens_);
    if (rest[0] == '{') return add(at, bytes_of_template(rest));
    if (rest[0] == '$') return add(at, bytes_of_formula(text_, at));
    if (rest[0] == ':') return add(at, bytes_of_emoji(text_, at));
    if (rest.starts_with("[^")) {
      const std::size_t bytes = add(at, up_to(rest, "]"));
      if (bytes > 0) tokens_.back().mask = Token::kCloses;
      return bytes;
    }
    if (rest[0] == '[' || rest.starts_with("![")) {
      brackets_.push_back({at, emphasis_.count()});
      return rest[0] == '!' ? 2 : 1;
    }
    if (rest[0] == ']' && !brackets_.empty()) return close_bracket(at);
    const bool is_address =
        rest.starts_with("https://") || rest.starts_with("http://") || rest.starts_with("www.");
    return is_address ? add(at, bytes_of_address(rest)) : 0;
  }

  /// Adds a token that is whole; returns its bytes.
  std::size_t add(std::size_t at, std::size_t bytes) {
    if (bytes > 0)
      tokens_.push_back({.from = at, .to = at + bytes, .syntax = Token::Syntax::whole});
    return bytes;
  }

  static std::size_t bytes_of_address(std::string_view rest) {
    std::size_t bytes = std::min(rest.find_first_of(" \t<>()[]\"'*`|"), rest.size());
    bytes = text::before_wide_marks(rest.substr(0, bytes));
    while (is_one_of(rest[bytes - 1], ".,;:!?")) --bytes;
    return bytes;
  }

  /// Adds the link or image whose text ends at the ] here; returns the bytes after its text.
  std::size_t close_bracket(std::size_t at) {
    const auto [from, emphasis] = brackets_.back();
    const std::size_t target = bytes_of_target(text_.substr(at + 1));
    brackets_.pop_back();
    if (target == 0) return 0;
    // Emphasis does not begin inside of a link and end outside.
    emphasis_.find(std::min(emphasis, emphasis_.count()), tokens_);
    tokens_.push_back({.from = from,
                       .to = from + (text_[from] == '!' ? 2 : 1),
                       .syntax = Token::Syntax::opening,
                       .name = std::string(kLink),
                       .mask = Token::kOpens,
                       .is_link = true});
    tokens_.push_back({.from = at,
                       .to = at + 1 + target,
                       .syntax = Token::Syntax::closing,
                       .name = std::string(kLink),
                       .mask = Token::kCloses,
                       .is_link = true});
    return 1 + target;
  }

  std::string_view text_;
  std::size_t tags_;
  std::vector<Token> tokens_;
  std::vector<Bracket> brackets_;
  Emphasis emphasis_;
};

}  // namespace

std::vector<Token> tokens_of_markdown(std::string_view text) {
  return MarkdownReader(text).tokens();
}

}  // namespace heed::document
