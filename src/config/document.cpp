#include "config/document.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "config/schema.h"

namespace heed::config {
namespace {

constexpr fmt::format_string<const std::string&, int> kOpenQuotation =
    "{}:{}: a quotation mark without its partner; put one at the end of the text";

/// Notes where the content of each document begins, and ignores everything else.
class Beginnings : public YAML::EventHandler {
 public:
  using Mark = const YAML::Mark&;
  using Text = const std::string&;
  using Anchor = YAML::anchor_t;
  using Style = YAML::EmitterStyle::value;

  void OnDocumentStart(Mark mark) override {
    last_.byte = static_cast<std::size_t>(std::max(mark.pos, 0));
    begins_ = true;
  }
  void OnDocumentEnd() override {}
  void OnNull(Mark mark, Anchor) override { see(mark); }
  void OnAlias(Mark mark, Anchor) override { see(mark); }
  void OnScalar(Mark mark, Text, Anchor, Text) override { see(mark); }
  void OnSequenceStart(Mark mark, Text, Anchor, Style) override { see(mark); }
  void OnSequenceEnd() override {}
  void OnMapStart(Mark mark, Text, Anchor, Style) override { see(mark); }
  void OnMapEnd() override {}

  /// The last document that has begun.
  const SecondDocument& last() const { return last_; }

 private:
  void see(Mark mark) {
    if (begins_) last_.line = mark.line;
    begins_ = false;
  }
  SecondDocument last_;
  bool begins_ = false;
};

/// Notes where texts in quotation marks begin.
class Quotations : public Beginnings {
 public:
  void OnScalar(Mark mark, Text tag, Anchor anchor, Text value) override {
    if (tag == "!") marks_.push_back(mark);  // not plain
    Beginnings::OnScalar(mark, tag, anchor, value);
  }
  const std::vector<YAML::Mark>& marks() const { return marks_; }

 private:
  std::vector<YAML::Mark> marks_;
};

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

/// The line, from 0, of a text in quotation marks that has no end: the parser takes all that
/// follows as its value.
std::optional<int> line_with_open_quotation(const std::string& yaml) {
  // Where the parser converts the bytes, its positions are others.
  if (yaml.starts_with("\xEF\xBB\xBF") || yaml.find('\0') != std::string::npos) return std::nullopt;
  std::istringstream text(yaml);
  YAML::Parser parser(text);
  Quotations found;
  parser.HandleNextDocument(found);
  for (const YAML::Mark& mark : found.marks()) {
    const std::string_view rest =
        std::string_view(yaml).substr(std::min<std::size_t>(mark.pos, yaml.size()));
    if ((rest.starts_with('"') || rest.starts_with('\'')) && quoted_size(rest) == 0)
      return mark.line;
  }
  return std::nullopt;
}

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

}  // namespace

// This does not use YAML::LoadAll, which finds documents without end in some texts that are no YAML
// ("!a b", line feed, "? c").
std::optional<SecondDocument> second_document(const std::string& yaml) {
  std::istringstream text(yaml);
  YAML::Parser parser(text);
  Beginnings documents;
  for (int i = 0; i < 2; ++i)
    if (!parser.HandleNextDocument(documents)) return std::nullopt;
  return documents.last();
}

YAML::Node load_document(const std::string& yaml, const std::string& name) {
  if (const auto blank = wide_blank(yaml))
    throw ConfigError(
        "{}:{}: {} {}, which is a letter for YAML; {} with blanks alone: LC_ALL=C sed 's/{}/ /g' "
        "{} > NEW.yaml",
        name, blank->line + 1, blank->is_first ? "begins with" : "has, beside its value,",
        blank->name, blank->is_first ? "indent" : "write it", blank->bytes, shell_word(name));
  try {
    if (const auto second = second_document(yaml))
      throw ConfigError("{}:{}: a second YAML document begins; a configuration is one", name,
                        second->line + 1);
    if (const auto open = line_with_open_quotation(yaml))
      throw ConfigError(kOpenQuotation, name, *open + 1);
    return YAML::Load(yaml);
  } catch (const YAML::Exception& error) {
    if (const auto tab = line_with_tab(yaml))
      throw ConfigError("{}:{}: begins with a tab; YAML is indented with blanks alone", name,
                        *tab + 1);
    if (const auto open = line_with_open_text(yaml, error.mark.line))
      throw ConfigError(kOpenQuotation, name, *open + 1);
    if (const auto uneven = uneven_lines(yaml, error.mark.line))
      throw ConfigError(
          "{}:{}: begins with {}, and line {} of the same section with {}; indent both alike", name,
          uneven->second + 1, counted(static_cast<int64_t>(uneven->second_indent), "blank"),
          uneven->first + 1, counted(static_cast<int64_t>(uneven->first_indent), "blank"));
    const std::string line = error.mark.line < 0 ? "" : ":" + std::to_string(error.mark.line + 1);
    throw ConfigError(name + line + ": not valid YAML: " + one_line(error.msg));
  }
}

}  // namespace heed::config
