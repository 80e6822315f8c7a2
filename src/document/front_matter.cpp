#include "document/front_matter.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/strings.h"
#include "config/yaml.h"
#include "document/lines_of_text.h"
#include "document/token.h"
#include "text/utf8.h"
#include "text/words.h"

namespace heed::document {
namespace {

std::string with_backslashes(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string with_doubled_apostrophes(std::string_view text) {
  std::string out;
  for (const char c : text) out.append(c == '\'' ? 2 : 1, c);
  return out;
}

std::string as_plain_scalar(std::string_view text) {
  // A colon or a number sign inside a word means nothing, and quotes for other characters than
  // those of ASCII would be of no use.
  const bool is_safe = !text.empty() && !is_one_of(text[0], "-?:,[]{}#&*!|>'\"%@` \t") &&
                       text.find(": ") == text.npos && text.find(" #") == text.npos &&
                       !text.ends_with(':') && !text.ends_with(' ') && text::count_words(text) > 1;
  return is_safe ? std::string(text) : config::yaml_text(text);
}

class FrontMatterReader {
 public:
  FrontMatterReader(std::string_view bytes, const std::vector<std::string>& keys, Passages& out)
      : bytes_(bytes), keys_(keys), out_(out), lines_(bytes) {}

  std::size_t read() {
    const std::size_t before = bytes_.starts_with("\uFEFF") ? 3 : 0;
    const std::string_view mark = lines_.line(0);
    const std::string_view trimmed = trim(mark);
    if (!mark.starts_with(trimmed) || (trimmed != "---" && trimmed != "+++") ||
        text::is_blank(lines_.line(1)))
      return before;
    const auto is_end = [&](std::size_t i) {
      const std::string_view line = lines_.line(i);
      return line.starts_with(trimmed) ? trim(line) == trimmed
                                       : trimmed == "---" && trim(line) == "...";
    };
    std::size_t end = 1;
    while (end < lines_.count() && !is_end(end)) ++end;
    if (end == lines_.count()) return before;
    is_yaml_ = trimmed == "---";
    for (std::size_t i = 1; i < end && !keys_.empty();) i = read(i, end);
    return end + 1 < lines_.count() ? place(end + 1, 0) : bytes_.size();
  }

 private:
  std::size_t place(std::size_t i, std::size_t at) const {
    return static_cast<std::size_t>(lines_.line(i).data() - bytes_.data()) + at;
  }

  static std::size_t indent(std::string_view line) { return after_run(line, " \t"); }

  /// Reads the entry in line `i`; returns the line after it.
  std::size_t read(std::size_t i, std::size_t end) {
    const std::string_view line = lines_.line(i);
    const std::size_t from = after_run(line, is_yaml_ ? " \t-" : " \t");
    const std::size_t mark = line.find(is_yaml_ ? ':' : '=', from);
    if (mark == line.npos) return i + 1;
    std::string_view key = trim(line.substr(from, mark - from));
    if (key.size() > 1 && is_one_of(key[0], "\"'") && key.back() == key[0])
      key = key.substr(1, key.size() - 2);
    const std::size_t value = after_run(line, " \t", mark + 1);
    const std::string_view rest = line.substr(std::min(value, line.size()));
    const bool is_block = is_yaml_ && (rest.starts_with('|') || rest.starts_with('>'));
    std::size_t next = i + 1;
    while (next < end && (is_block || !rest.empty()) && is_yaml_ &&
           (text::is_blank(lines_.line(next)) || indent(lines_.line(next)) > from))
      ++next;
    while (next > i + 1 && text::is_blank(lines_.line(next - 1))) --next;
    if (std::ranges::find(keys_, key) == keys_.end()) return is_block ? next : i + 1;
    if (is_block)
      add_lines(i + 1, next);
    else if (next == i + 1 || !is_yaml_)
      add_value(place(i, value), rest);
    return is_block ? next : i + 1;
  }

  /// Adds a value on one line. A literal of TOML has no way to write its quotes.
  void add_value(std::size_t at, std::string_view rest) {
    Passage passage{.is_sentence = true};
    if (rest.empty()) return;
    const char quote = rest[0];
    if (quote == '"' || quote == '\'') {
      if (rest.starts_with("\"\"\"") || (quote == '\'' && !is_yaml_)) return;
      passage.writing.escaped = quote == '"' ? with_backslashes
                                : is_yaml_   ? with_doubled_apostrophes
                                             : nullptr;
      add_quoted(at + 1, rest.substr(1), quote, passage);
    } else if (is_yaml_ && !is_one_of(quote, "[]{}&*!|>%@`#")) {
      rest = rest.substr(0, rest.find(" #"));
      rest = rest.substr(0, rest.find_last_not_of(" \t") + 1);
      passage.enclosed = as_plain_scalar;
      if (!rest.empty()) passage.tokens.push_back({.from = at, .to = at + rest.size()});
    }
    if (!passage.tokens.empty()) out_.push_back(std::move(passage));
  }

  /// Adds the tokens of a value in quotes, which `rest` begins with.
  void add_quoted(std::size_t at, std::string_view rest, char quote, Passage& passage) const {
    std::size_t from = 0, i = 0;
    const auto add_text = [&](std::size_t to) {
      if (to > from) passage.tokens.push_back({.from = at + from, .to = at + to});
    };
    for (; i < rest.size(); ++i) {
      const bool is_escape = quote == '"' && rest[i] == '\\';
      const bool is_double = is_yaml_ && quote == '\'' && rest.substr(i).starts_with("''");
      if (!is_escape && !is_double) {
        if (rest[i] == quote) return add_text(i);
        continue;
      }
      if (i + 1 == rest.size()) break;
      add_text(i);
      const bool is_mark = is_double || is_one_of(rest[i + 1], "\"\\/");
      passage.tokens.push_back({.from = at + i,
                                .to = at + i + 2,
                                .syntax = is_mark ? Token::Syntax::text : Token::Syntax::whole,
                                .text = is_mark ? std::string(1, rest[i + 1]) : ""});
      from = ++i + 1;
    }
    passage.tokens.clear();  // it goes on in the next line
  }

  /// Adds the lines of a block of text as paragraphs.
  void add_lines(std::size_t i, std::size_t end) {
    Passage passage;
    const auto finish = [&] {
      if (!passage.tokens.empty()) out_.push_back(std::exchange(passage, Passage{}));
    };
    for (; i < end; ++i) {
      const std::string_view line = lines_.line(i), text = trim(line);
      if (text.empty()) {
        finish();
        continue;
      }
      const auto from = static_cast<std::size_t>(text.data() - bytes_.data());
      if (!passage.tokens.empty())
        passage.tokens.push_back(
            {.from = passage.tokens.back().to, .to = from, .syntax = Token::Syntax::line_break});
      passage.tokens.push_back({.from = from, .to = from + text.size()});
    }
    finish();
  }

  std::string_view bytes_;
  const std::vector<std::string>& keys_;
  Passages& out_;
  LineByLine lines_;
  bool is_yaml_ = true;
};

}  // namespace

std::size_t add_front_matter(std::string_view bytes, const std::vector<std::string>& keys,
                             Passages& out) {
  return FrontMatterReader(bytes, keys, out).read();
}

}  // namespace heed::document
