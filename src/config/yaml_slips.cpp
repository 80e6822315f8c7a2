#include "config/yaml_slips.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <sstream>
#include <utility>
#include <vector>

#include "base/new_name.h"
#include "base/strings.h"

namespace heed::config {
namespace {

/// The first line, from 0 to `last`, on which a text in quotation marks begins and has no end: in
/// {} and [] the parser takes the mark before the next text for its end, and breaks there.
std::optional<int> line_with_open_text(const std::string& yaml, int last) {
  std::istringstream text(yaml);
  std::string line;
  for (int number = 0; number <= last && std::getline(text, line); ++number) {
    bool begins = true;  // a value may begin
    for (std::size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      if (c == '#' && (i == 0 || line[i - 1] == ' ')) break;
      if (begins && (c == '"' || c == '\'')) {
        const std::size_t size = quoted_size(std::string_view(line).substr(i));
        if (size == 0) return number;
        i += size - 1;
      }
      begins = c == '{' || c == '[' || c == ',' || (c == ' ' && (begins || line[i - 1] == ':')) ||
               (c == '-' && begins);
    }
  }
  return std::nullopt;
}

/// Two lines of one section, from 0, that are not indented alike.
struct UnevenLines {
  int first = 0, second = 0;
  std::size_t first_indent = 0, second_indent = 0;
};

/// The first such lines among those from 0 to `last`.
std::optional<UnevenLines> uneven_lines(const std::string& yaml, int last) {
  struct Level {
    int line;
    std::size_t indent;
  };
  std::vector<Level> open;
  std::istringstream text(yaml);
  std::string line;
  bool may_deepen = true;
  std::ptrdiff_t brackets = 0;
  for (int number = 0; number <= last && std::getline(text, line); ++number) {
    const std::string content(trim(line.substr(0, line.find(" #"))));
    const std::size_t indent = line.find_first_not_of(' ');
    if (content.empty() || content[0] == '#') continue;
    const bool is_inside = brackets > 0;
    brackets += std::ranges::count_if(content, [](char c) { return c == '{' || c == '['; }) -
                std::ranges::count_if(content, [](char c) { return c == '}' || c == ']'; });
    const bool has_key = content.find(": ") != std::string::npos || content.ends_with(':');
    if (is_inside || !has_key) continue;
    std::optional<Level> left;
    for (; !open.empty() && open.back().indent > indent; open.pop_back()) left = open.back();
    if (open.empty() || open.back().indent < indent) {
      if (left || !may_deepen) {
        const Level other = left ? *left : open.back();
        return UnevenLines{other.line, number, other.indent, indent};
      }
      open.push_back({number, indent});
    }
    may_deepen = content.ends_with(':') || content.starts_with("- ") || content.ends_with('|') ||
                 content.ends_with('>');
  }
  return std::nullopt;
}

/// The first line, from 0, with a tab before its first letter.
std::optional<int> line_with_tab(const std::string& yaml) {
  std::istringstream text(yaml);
  std::string line;
  for (int number = 0; std::getline(text, line); ++number)
    if (line[std::min(line.find_first_not_of(' '), line.size())] == '\t') return number;
  return std::nullopt;
}

/// A blank that YAML takes for a letter, at the beginning of a line or beside its value.
struct WideBlank {
  int line = 0;           // from 0
  bool is_first = false;  // the line begins with it
  const char* name;       // of Unicode
  const char* bytes;      // as sed reads them
};

/// What follows the key and its colon; all of the line where there is none.
std::string_view value_of(std::string_view line) {
  const std::size_t end = std::min(
      line.find_first_not_of("-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ "),
      line.size());
  if (end == line.size() || line[end] != ':') return line;
  line.remove_prefix(end + 1);
  return line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
}

/// The first one, such as the no-break spaces of a text that was copied from a page. Those inside a
/// value and in comments are text.
std::optional<WideBlank> wide_blank(const std::string& yaml) {
  struct Blank {
    std::string_view utf8;
    const char *name, *bytes;
  };
  constexpr std::array<Blank, 5> kBlanks = {
      {{"\u00A0", "a no-break space (U+00A0)", "\\xC2\\xA0"},
       {"\u2003", "an em space (U+2003)", "\\xE2\\x80\\x83"},
       {"\u2009", "a thin space (U+2009)", "\\xE2\\x80\\x89"},
       {"\u202F", "a narrow no-break space (U+202F)", "\\xE2\\x80\\xAF"},
       {"\u3000", "an ideographic space (U+3000)", "\\xE3\\x80\\x80"}}};
  std::istringstream text(yaml);
  std::string line;
  for (int number = 0; std::getline(text, line); ++number) {
    const std::string_view rest =
        std::string_view(line).substr(std::min(line.find_first_not_of(" \t"), line.size()));
    const std::string_view value = value_of(rest);
    const bool has_comment = rest.find('#') != std::string_view::npos;
    for (const Blank& blank : kBlanks) {
      const bool is_first = rest.starts_with(blank.utf8);
      if (is_first || value.starts_with(blank.utf8) ||
          (!has_comment && trim(rest).ends_with(blank.utf8)))
        return WideBlank{number, is_first, blank.name, blank.bytes};
    }
  }
  return std::nullopt;
}

/// The line without its comment.
std::string_view without_comment(std::string_view line) {
  return line.starts_with('#') ? "" : line.substr(0, line.find(" #"));
}

/// An invisible character, such as those of texts that were copied from a page.
struct Invisible {
  unsigned code_point = 0;
  std::size_t bytes = 0;
};

/// The invisible character with which the text begins: soft hyphens, zero-width characters, marks
/// of direction, byte order marks.
std::optional<Invisible> invisible_at(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  if (byte(0) == 0xC2 && byte(1) == 0xAD) return Invisible{0xAD, 2};
  if (byte(0) == 0xD8 && byte(1) == 0x9C) return Invisible{0x61C, 2};
  if ((byte(0) & 0xF0U) != 0xE0) return std::nullopt;
  const unsigned c = (byte(0) & 0xFU) << 12U | (byte(1) & 0x3FU) << 6U | (byte(2) & 0x3FU);
  const bool is_invisible = c == 0x180E || (c >= 0x200B && c <= 0x200F) ||
                            (c >= 0x202A && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) ||
                            c == 0xFEFF;
  return is_invisible ? std::optional(Invisible{c, 3}) : std::nullopt;
}

/// The invisible character of UTF-8 with which the text ends.
std::optional<Invisible> invisible_before_end(std::string_view text) {
  for (const std::size_t bytes : {2U, 3U})
    if (text.size() >= bytes)
      if (const auto found = invisible_at(text.substr(text.size() - bytes));
          found && found->bytes == bytes)
        return found;
  return std::nullopt;
}

/// A key or value with an invisible character.
struct InvisibleLetter {
  Invisible character;
  std::string text;  // shown
  int line = 0;      // from 0
};

/// The first one: inside of a key, or at an end of a value. Inside of a value and in comments they
/// are text.
std::optional<InvisibleLetter> invisible_letter(std::string_view yaml) {
  if (yaml.starts_with("\xEF\xBB\xBF")) yaml.remove_prefix(3);  // of the file
  std::istringstream text{std::string(yaml)};
  std::string line;
  for (int number = 0; std::getline(text, line); ++number) {
    std::string_view rest = trim(without_comment(line));
    rest.remove_prefix(std::min(rest.find_first_not_of("- {["), rest.size()));
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const std::string_view key = rest.substr(0, colon),
                           value = trim(rest.substr(std::min(colon + 1, rest.size())));
    const bool has_key = colon < rest.size() && key.find_first_of("'\"") == key.npos;
    for (std::size_t i = 0; has_key && i < key.size(); ++i)
      if (const auto found = invisible_at(key.substr(i)))
        return InvisibleLetter{*found, *with_invisible_shown(key), number};
    std::string_view all = has_key ? value : rest;
    all.remove_prefix(std::min(all.find_first_not_of("{[ "), all.size()));
    for (const auto& found : {invisible_at(all), invisible_before_end(all)})
      if (found) return InvisibleLetter{*found, *with_invisible_shown(all), number};
  }
  return std::nullopt;
}

/// The bytes of the character as sed reads them.
std::string bytes_for_sed(const Invisible& character) {
  const unsigned c = character.code_point;
  return character.bytes == 2
             ? fmt::format("\\x{:02X}\\x{:02X}", 0xC0U | c >> 6U, 0x80U | (c & 0x3FU))
             : fmt::format("\\x{:02X}\\x{:02X}\\x{:02X}", 0xE0U | c >> 12U,
                           0x80U | (c >> 6U & 0x3FU), 0x80U | (c & 0x3FU));
}

/// The places of a line where a value begins: after the key and its colon, after '-', and in {} and
/// []; not inside of a value in quotation marks.
std::vector<std::size_t> beginnings_of_values(std::string_view line) {
  std::vector<std::size_t> out;
  bool begins = true, is_first = true;
  int depth = 0;  // of brackets
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == ' ') {
      begins = begins || (i > 0 && line[i - 1] == ':');
      continue;
    }
    if (begins && !is_first) out.push_back(i);
    is_first = false;
    if (begins && (c == '"' || c == '\'')) {
      const std::size_t size = quoted_size(line.substr(i));
      if (size == 0) break;
      i += size - 1;
      begins = false;
    } else if (begins && (c == '{' || c == '[')) {
      ++depth;
    } else if (depth > 0 && (c == '}' || c == ']')) {
      --depth;
      begins = false;
    } else {
      begins = (depth > 0 && c == ',') || (begins && c == '-');
    }
  }
  return out;
}

/// The number, from 0, of the first line up to `last` for which `is` has a value, and that value.
template <class Find>
auto first_line_with(const std::string& yaml, int last, const Find& find)
    -> std::optional<std::pair<int, std::string>> {
  std::istringstream text(yaml);
  std::string line;
  for (int number = 0; (last < 0 || number <= last) && std::getline(text, line); ++number)
    if (std::string found = find(without_comment(line)); !found.empty())
      return std::pair(number, std::move(found));
  return std::nullopt;
}

/// A value in curly quotation marks, with them; "": there is none.
std::string curly_value(std::string_view line) {
  using Pair = std::pair<std::string_view, std::string_view>;
  constexpr std::array<Pair, 5> kQuotes = {{{"\u201C", "\u201D"},
                                            {"\u201E", "\u201C"},
                                            {"\u201D", "\u201D"},
                                            {"\u2018", "\u2019"},
                                            {"\u2019", "\u2019"}}};
  constexpr std::size_t kLongest = 1000;  // bytes of a value
  for (const std::size_t at : beginnings_of_values(line))
    for (const auto& [open, close] : kQuotes) {
      const std::string_view rest = line.substr(at, kLongest);
      if (!rest.starts_with(open)) continue;
      const std::size_t end = rest.find(close, open.size());
      if (end == rest.npos) continue;
      const std::string_view inside = rest.substr(open.size(), end - open.size());
      const std::string_view after = trim(rest.substr(end + close.size()));
      const bool has_letter =
          std::ranges::any_of(inside, [](unsigned char c) { return std::isalnum(c) != 0; });
      if (has_letter && (after.empty() || std::string_view(",]}").find(after[0]) != after.npos))
        return std::string(rest.substr(0, end + close.size()));
    }
  return "";
}

/// The name of a section of INI or TOML on a line of its own, "[data]", where other lines have
/// 'key = value'.
std::string section_of_ini(std::string_view line) {
  const std::string_view text = trim(line);
  const bool is = line.starts_with('[') && text.size() > 2 && text.back() == ']' &&
                  std::all_of(text.begin() + 1, text.end() - 1, [](unsigned char c) {
                    return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-';
                  });
  return is ? std::string(text.substr(1, text.size() - 2)) : "";
}

std::string variable_in(std::string_view line) {
  const std::size_t at = line.find("${");
  return at == line.npos
             ? ""
             : std::string(line.substr(at, std::min(line.find('}', at), line.size()) - at + 1));
}

/// The first word of a value that begins with one of these signs.
std::string value_with(std::string_view line, std::string_view signs) {
  for (const std::size_t at : beginnings_of_values(line))
    if (signs.find(line[at]) != signs.npos)
      return std::string(line.substr(at, line.find_first_of(" ,}]", at) - at));
  return "";
}

/// "name:t", a key and its value without a blank between them, with which the line begins.
std::string key_without_blank(std::string_view line) {
  std::string_view text = trim(line);
  if (text.starts_with("- ")) text = trim(text.substr(2));
  const std::size_t colon = text.find(':');
  const bool is = colon != text.npos && colon > 0 && colon + 1 < text.size() &&
                  text[colon + 1] != ' ' && text[colon + 1] != '/' &&
                  std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(colon),
                              [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
  return is ? std::string(text) : "";
}

/// A bracket that has no partner, and its line, from 0.
struct OpenBracket {
  char bracket = ' ';
  int line = 0;
};

/// The last '{' or '[' that is still open at the end, outside of quotation marks and comments.
std::optional<OpenBracket> open_bracket(const std::string& yaml) {
  std::vector<OpenBracket> open;
  std::istringstream text(yaml);
  std::string line;
  for (int number = 0; std::getline(text, line); ++number)
    for (std::size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      if (c == '#' && (i == 0 || line[i - 1] == ' ')) break;
      if ((c == '"' || c == '\'') &&
          (i == 0 || std::string_view(" {[,").find(line[i - 1]) != std::string_view::npos)) {
        i += std::max<std::size_t>(quoted_size(std::string_view(line).substr(i)), 1) - 1;
      } else if (c == '{' || c == '[') {
        open.push_back({c, number});
      } else if ((c == '}' || c == ']') && !open.empty()) {
        open.pop_back();
      }
    }
  return open.empty() ? std::nullopt : std::optional(open.back());
}

/// For slips that one line shows.
std::optional<std::string> slip_on_a_line(const std::string& message, int line,
                                          const std::string& yaml, const std::string& name) {
  if (const auto found = first_line_with(yaml, line, variable_in))
    return fmt::format(
        "{}:{}: '{}' has braces, which begin and end sections of YAML; nothing takes "
        "the place of variables in a configuration, so write what it stands for",
        name, found->first + 1, one_line(found->second));
  const auto on_line = [&](std::string_view signs) {
    const auto found =
        first_line_with(yaml, line, [&](std::string_view text) { return value_with(text, signs); });
    return found && found->first == line ? found->second : "";
  };
  if (message.starts_with("unknown escape") || message.starts_with("bad character found while"))
    return fmt::format(
        "{}:{}: in \"quotation marks\" '\\' begins an escape of YAML; write the text "
        "in 'single ones', where it is a character, or paths with '/'",
        name, line + 1);
  if (const std::string value = on_line("*"); !value.empty())
    return fmt::format(
        "{}:{}: '{}' begins with '*', with which YAML names a value that was there "
        "before; put it in quotation marks; of files, name each one",
        name, line + 1, one_line(value));
  if (const std::string value = on_line("%@`"); !value.empty())
    return fmt::format(
        "{}:{}: '{}' begins with a sign that YAML keeps for itself; put it in "
        "quotation marks",
        name, line + 1, one_line(value));
  if (const auto found = first_line_with(yaml, line, key_without_blank))
    return fmt::format("{}:{}: '{}' has no blank after its colon; write one", name,
                       found->first + 1, one_line(found->second));
  return std::nullopt;
}

}  // namespace

/// The number of bytes from the quotation mark at the beginning of `text` to its partner; 0 where
/// it has none.
std::size_t quoted_size(std::string_view text) {
  const char mark = text[0];
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (mark == '"' && text[i] == '\\')
      ++i;
    else if (mark == '\'' && text[i] == mark && text.substr(i + 1).starts_with(mark))
      ++i;
    else if (text[i] == mark)
      return i + 1;
  }
  return 0;
}

std::optional<std::string> with_invisible_shown(std::string_view text) {
  std::string shown;
  bool any = false;
  while (!text.empty()) {
    const auto found = invisible_at(text);
    any = any || found;
    shown += found ? fmt::format("<U+{:04X}>", found->code_point) : std::string(1, text[0]);
    text.remove_prefix(found ? found->bytes : 1);
  }
  return any ? std::optional(one_line(shown)) : std::nullopt;
}

std::optional<std::string> slip_that_parses(const std::string& yaml, const std::string& name) {
  if (const auto letter = invisible_letter(yaml))
    return fmt::format(
        "{}:{}: '{}' has an invisible character, which is a letter for YAML; without it: LC_ALL=C "
        "sed 's/{}//g' {} > {}",
        name, letter->line + 1, letter->text, bytes_for_sed(letter->character), shell_word(name),
        new_name(name, ".yaml"));
  if (const auto blank = wide_blank(yaml))
    return fmt::format(
        "{}:{}: {} {}, which is a letter for YAML; {} with blanks alone: LC_ALL=C sed 's/{}/ /g' "
        "{} > {}",
        name, blank->line + 1, blank->is_first ? "begins with" : "has, beside its value,",
        blank->name, blank->is_first ? "indent" : "write it", blank->bytes, shell_word(name),
        new_name(name, ".yaml"));
  if (const auto curly = first_line_with(yaml, -1, curly_value))
    return fmt::format(
        "{}:{}: {} has curly quotation marks, which are letters for YAML; write it "
        "with straight ones, or none",
        name, curly->first + 1, one_line(curly->second));
  const auto is_value = [](std::string_view line) {
    return line.find('=') == line.npos ? "" : "=";
  };
  if (const auto section = first_line_with(yaml, -1, section_of_ini);
      section && first_line_with(yaml, -1, is_value))
    return fmt::format(
        "{}:{}: '[{}]' begins a section of INI or TOML, and a configuration is YAML; "
        "write '{}:' and below it, indented, its keys as 'key: value'",
        name, section->first + 1, section->second, section->second);
  return std::nullopt;
}

std::optional<std::string> slip_behind(const std::string& message, int line,
                                       const std::string& yaml, const std::string& name) {
  if (const auto tab = line_with_tab(yaml))
    return fmt::format("{}:{}: begins with a tab; YAML is indented with blanks alone", name,
                       *tab + 1);
  if (const auto open = line_with_open_text(yaml, line))
    return fmt::format(kOpenQuotation, name, *open + 1);
  if (const auto uneven = uneven_lines(yaml, line))
    return fmt::format(
        "{}:{}: begins with {}, and line {} of the same section with {}; indent both alike", name,
        uneven->second + 1, counted(static_cast<int64_t>(uneven->second_indent), "blank"),
        uneven->first + 1, counted(static_cast<int64_t>(uneven->first_indent), "blank"));
  if (auto slip = slip_on_a_line(message, line, yaml, name)) return slip;
  if (const auto open = open_bracket(yaml))
    return fmt::format("{}:{}: '{}' has no '{}'; put one at the end of what it holds", name,
                       open->line + 1, open->bracket, open->bracket == '{' ? '}' : ']');
  return std::nullopt;
}

}  // namespace heed::config
