#include "document/plain_lines.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>

#include "base/strings.h"
#include "text/characters.h"
#include "text/script.h"
#include "text/utf8.h"
#include "text/words.h"

namespace heed::document {
namespace {

constexpr std::string_view kAsciiLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

bool has_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(parts,
                             [&](std::string_view part) { return text.find(part) != text.npos; });
}

/// Columns of the blanks that the line begins with.
std::size_t indent_of(std::string_view line) {
  std::size_t columns = 0;
  for (const char c : line) {
    if (c != ' ' && c != '\t') break;
    columns += c == '\t' ? 4 : 1;
  }
  return columns;
}

/// Words of nothing but letters, of which they have two at least: most in a row, and all. Two
/// letters of a script without blanks count as a word.
struct LetterWords {
  std::size_t in_row = 0, all = 0;
};

LetterWords letter_words_of(std::string_view text) {
  std::size_t row = 0, letters = 0, unspaced = 0;
  LetterWords words;
  bool is_word = true;
  const auto end_word = [&] {
    const std::size_t count = is_word && letters > 1 ? std::max<std::size_t>(1, unspaced / 2)
                              : is_word              ? 0
                                                     : unspaced / 2;
    row = is_word ? row + count : count;
    words.all += count;
    words.in_row = std::max(words.in_row, row);
    letters = unspaced = 0;
    is_word = true;
  };
  text::each_code_point(text, [&](const text::CodePoint& point, std::string_view) {
    if (text::is_space(point.value)) return end_word();
    letters += text::is_letter(point.value) ? 1 : 0;
    unspaced += text::has_no_blanks(text::script_of(point.value)) ? 1 : 0;
    is_word = is_word && (text::is_letter(point.value) || point.value == U',' ||
                          point.value == U'\'' || point.value == U'\u2019');
  });
  // A stop after the last word is none of its letters.
  is_word = is_word || (letters > 1 && text::is_punctuation(text::value_before(text, text.size())));
  end_word();
  return words;
}

bool ends_sentence(std::string_view text) {
  while (!text.empty() && is_one_of(text.back(), " \t\"')]*/")) text.remove_suffix(1);
  return !text.empty() && (is_one_of(text.back(), ".!?") || text.ends_with("。") ||
                           text.ends_with("…") || text.ends_with("！") || text.ends_with("？"));
}

bool is_sentence(std::string_view text) {
  return ends_sentence(text) && letter_words_of(text).all >= 4;
}

/// Whether a line has signs that text hardly has.
bool has_code(std::string_view line) {
  if (has_any(line, {"()", "==", "!=", "->", "=>", "::", "&&", "||", "+=", "</", "/>", "{", "}",
                     " = ", " --", "[0", "[i", "\\\\"}))
    return true;
  if (is_one_of(line.back(), ";\\") || line.ends_with("):")) return true;
  for (std::size_t at = 1; at + 1 < line.size(); ++at)  // f(x)
    if (line[at] == '(' && (is_one_of(line[at - 1], kAsciiLetters) || line[at - 1] == '_') &&
        !line.substr(at).starts_with("(s)"))
      return true;
  return false;
}

/// Whether a line reads as text, whatever signs of code it has.
bool is_prose(std::string_view line) {
  if (is_sentence(line)) return true;
  if (letter_words_of(line).in_row < 4) return false;
  const auto begins_with_any = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words,
                               [&](std::string_view word) { return line.starts_with(word); });
  };
  if (line.ends_with(':') &&
      begins_with_any({"class ", "def ", "elif ", "except ", "for ", "if ", "while ", "with "}))
    return false;
  return !is_one_of(line.back(), ";{}") &&
         !(line.starts_with("from ") && line.find(" import ") != line.npos);
}

/// Whether a line begins with the prompt of a shell or of Python, before what is typed.
bool has_prompt(std::string_view line) {
  if (line.starts_with("$ "))
    return line.size() > 2 && (is_one_of(line[2], kAsciiLetters) || is_one_of(line[2], "./~_$"));
  if (line.starts_with(">>> "))  // three `>` may be a quotation, too
    return has_code(line.substr(4)) || line.substr(4).starts_with("import ") ||
           line.substr(4).starts_with("from ");
  // me@host:~$ ls, PS C:\> dir
  const std::size_t end = line.find_first_of("$#>");
  if (end == line.npos || end + 1 >= line.size() || line[end + 1] != ' ') return false;
  std::string_view before = line.substr(0, end);
  if (line[end] == '>') {
    if (before.starts_with("PS ")) before.remove_prefix(3);
    return before.size() > 2 && is_one_of(before[0], kAsciiLetters) && before[1] == ':' &&
           before[2] == '\\';
  }
  const std::size_t host = before.find('@');
  if (before.starts_with('[') && before.ends_with(']')) return host != before.npos;
  return host != before.npos && host > 0 && before.find(':', host) != before.npos &&
         before.find(' ') == before.npos;
}

bool is_frame_of_java(std::string_view line) {
  return line.starts_with("at ") && line.ends_with(')') && is_one_of('(', line) &&
         line.substr(3).find(' ') == line.npos;
}

/// Bytes of the bar of a table that begins at `at`, or 0.
std::size_t bytes_of_bar(std::string_view text, std::size_t at) {
  for (const std::string_view bar : {"|", "│", "┃", "║"})
    if (text.substr(at).starts_with(bar)) return bar.size();
  return 0;
}

/// The cells between the bars of a row, and what stands before the first and after the last bar.
std::vector<ByteRange> parts_of_row(std::string_view row) {
  std::vector<ByteRange> parts = {{0, row.size()}};
  for (std::size_t at = 0; at < row.size(); ++at) {
    const std::size_t bar = bytes_of_bar(row, at);
    if (bar == 0) continue;
    parts.back().to = at;
    parts.push_back({at + bar, row.size()});
    at += bar - 1;
  }
  return parts;
}

/// Whether nothing but three or more signs of drawings is on the line.
bool is_drawn(std::string_view line) {
  std::size_t signs = 0;
  bool has_line = false, has_other = false;
  text::each_code_point(line, [&](const text::CodePoint& point, std::string_view) {
    const char32_t c = point.value;
    const bool is_box = c >= 0x2500 && c <= 0x259F;
    constexpr std::u32string_view kLines = U"-=_*~+#|^", kOthers = U".:<>/\\\"'`";
    has_line |= is_box || kLines.find(c) != kLines.npos;
    has_other |= !is_box && !text::is_space(c) && kLines.find(c) == kLines.npos &&
                 kOthers.find(c) == kOthers.npos;
    signs += text::is_space(c) ? 0 : 1;
  });
  return has_line && !has_other && signs >= 3;
}

/// Whether a word is a piece of an ornament around a title: "***", "==", "-=[", "/*".
bool is_ornament(std::string_view word) {
  return after_run(word, "-=~*#<>[]/+_|:") == word.size();
}

/// The title between ornaments at both ends of a line, as in "== The garden ==" and "[ Notes ]";
/// empty where it has none. Of one character each they are a pair of brackets or the same.
ByteRange title_of(std::string_view line) {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t begin = after_run(line, kBlanks), end = line.find_last_not_of(kBlanks) + 1;
  const std::size_t from = line.find_first_of(kBlanks, begin),
                    to = line.substr(0, end).find_last_of(kBlanks) + 1;
  if (from >= end || to <= from + 1) return {};
  const std::string_view first = line.substr(begin, from - begin), last = line.substr(to, end - to);
  if (!is_ornament(first) || !is_ornament(last)) return {};
  const bool is_pair = first == last || (first == "[" && last == "]");
  if ((first.size() == 1 || last.size() == 1) && !is_pair) return {};
  const std::string_view title = trim(line.substr(from, to - from));
  if (!text::has_words(title) || is_ornament(title.substr(0, title.find(' ')))) return {};
  return {from, to};
}

/// Finds the lines that stay.
class PlainLines {
 public:
  explicit PlainLines(const LineByLine& lines) : lines_(lines), out_(lines.count()) {}

  std::vector<PlainLine> found() && {
    for (std::size_t i = 0; i < out_.size();) {
      if (text::is_blank(lines_.line(i))) {
        ++i;
        continue;
      }
      std::size_t end = i;  // of the lines without a blank one between them
      while (end < out_.size() && !text::is_blank(lines_.line(end))) ++end;
      find_tables(i, end);
      find_typed(i, end);
      find_titles(i, end);
      i = end;
    }
    find_tracebacks();
    find_code();
    find_robots();
    return std::move(out_);
  }

 private:
  std::string_view text_of(std::size_t i) const { return trim(lines_.line(i)); }

  void find_tables(std::size_t from, std::size_t end) {
    bool has_border = false;
    std::size_t rows = 0;
    for (std::size_t i = from; i < end; ++i) {
      const std::string_view text = text_of(i);
      out_[i].stays = is_drawn(text);
      has_border |=
          out_[i].stays && (bytes_of_bar(text, 0) > 0 || text.find_first_of("+|") != text.npos ||
                            static_cast<unsigned char>(text[0]) >= 0x80);
      rows += is_enclosed(text) ? 1 : 0;
    }
    if (!has_border && rows < 2) return;
    for (std::size_t i = from; i < end; ++i)
      if (!out_[i].stays && (has_border || is_enclosed(text_of(i)))) read_row(i);
  }

  static bool is_enclosed(std::string_view text) {
    return text.size() > 2 && bytes_of_bar(text, 0) > 0 &&
           (text.ends_with('|') || text.ends_with("│") || text.ends_with("┃") ||
            text.ends_with("║"));
  }

  /// A row of a table stays, apart from cells with sentences; a row with one cell is a frame.
  void read_row(std::size_t i) {
    const std::string_view line = lines_.line(i);
    const std::vector<ByteRange> parts = parts_of_row(line);
    if (parts.size() < 2) return;
    if (parts.size() == 3 && is_enclosed(trim(line))) {
      out_[i].framed = parts[1];
      return;
    }
    out_[i].stays = true;
    for (const ByteRange& part : parts)
      if (is_sentence(line.substr(part.from, part.to - part.from))) out_[i].parts.push_back(part);
  }

  void find_typed(std::size_t from, std::size_t end) {
    bool is_python = false, goes_on = false;
    for (std::size_t i = from; i < end; ++i) {
      const std::string_view text = text_of(i);
      const bool has = has_prompt(text);
      is_python =
          has ? text.starts_with(">>>") : is_python && (text == "..." || text.starts_with("... "));
      if (has || is_python || goes_on || is_frame_of_java(text)) out_[i].stays = true;
      goes_on = (has || goes_on) && text.ends_with('\\');
    }
  }

  void find_titles(std::size_t from, std::size_t end) {
    for (std::size_t i = from; i < end; ++i) {
      if (out_[i].stays || !out_[i].framed.is_empty()) continue;
      const ByteRange title = title_of(lines_.line(i));
      if (title.is_empty()) continue;
      out_[i].stays = true;
      out_[i].parts.push_back(title);
    }
  }

  void find_tracebacks() {
    for (std::size_t i = 0; i < out_.size(); ++i) {
      if (text_of(i) != "Traceback (most recent call last):") continue;
      const std::size_t indent = indent_of(lines_.line(i));
      out_[i].stays = true;
      while (i + 1 < out_.size() && !text::is_blank(lines_.line(i + 1))) {
        out_[++i].stays = true;
        if (indent_of(lines_.line(i)) <= indent) break;  // the error
      }
    }
  }

  /// Runs of indented lines, with blank lines in them, between blank lines or after a colon: the
  /// first line of a paragraph may be indented, too.
  void find_code() {
    for (std::size_t i = 0; i < out_.size(); ++i) {
      if (!is_indented(i)) continue;
      std::size_t last = i, lines = 0, code = 0;
      for (std::size_t k = i; k < out_.size(); ++k) {
        if (text::is_blank(lines_.line(k))) continue;
        if (!is_indented(k)) break;
        last = k;
        ++lines;
        code += has_code(text_of(k)) && !is_prose(text_of(k)) ? 1 : 0;
      }
      const std::string_view before = i > 0 ? text_of(i - 1) : "";
      const bool is_run = (before.empty() || before.ends_with(':')) && text_of(last + 1).empty();
      for (std::size_t k = i; k <= last && is_run && 2 * code >= lines; ++k)
        if (!text_of(k).empty() && !is_prose(text_of(k))) out_[k].stays = true;
      i = last;
    }
  }

  /// Lines of a file for robots, robots.txt, which has names of programs in it.
  void find_robots() {
    const auto field_of = [&](std::size_t i) {
      const std::string_view text = text_of(i);
      const std::size_t colon = text.find(':');
      const bool has_one_word =
          colon != text.npos && trim(text.substr(colon + 1)).find(' ') == text.npos;
      return has_one_word ? ascii_lower(text.substr(0, colon)) : std::string();
    };
    constexpr std::array<std::string_view, 6> kFields = {"user-agent",  "allow", "disallow",
                                                         "crawl-delay", "host",  "sitemap"};
    std::vector<std::string> fields;
    for (std::size_t i = 0; i < out_.size(); ++i) fields.push_back(field_of(i));
    if (std::ranges::find(fields, kFields[0]) == fields.end()) return;
    for (std::size_t i = 0; i < out_.size(); ++i)
      if (std::ranges::find(kFields, fields[i]) != kFields.end()) out_[i].stays = true;
  }

  bool is_indented(std::size_t i) const {
    constexpr std::size_t kColumns = 4;
    const std::string_view line = lines_.line(i);
    return !text::is_blank(line) && indent_of(line) >= kColumns && out_[i].framed.is_empty() &&
           out_[i].parts.empty();
  }

  const LineByLine& lines_;
  std::vector<PlainLine> out_;
};

}  // namespace

bool is_line_of_code(std::string_view line) {
  return has_code(line) && !is_prose(line);
}

bool is_line_of_prose(std::string_view line) {
  return is_prose(line);
}

std::vector<PlainLine> plain_lines(const LineByLine& lines) {
  return PlainLines(lines).found();
}

}  // namespace heed::document
