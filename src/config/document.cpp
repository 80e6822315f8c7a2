#include "config/document.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "config/schema.h"

namespace heed::config {
namespace {

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

/// The first line, from 0, with a tab before its first letter.
std::optional<int> line_with_tab(const std::string& yaml) {
  std::istringstream text(yaml);
  std::string line;
  for (int number = 0; std::getline(text, line); ++number)
    if (line[std::min(line.find_first_not_of(' '), line.size())] == '\t') return number;
  return std::nullopt;
}

/// A blank at the beginning of a line that YAML takes for a letter.
struct WideBlank {
  int line = 0;       // from 0
  const char* name;   // of Unicode
  const char* bytes;  // as sed reads them
};

/// The first one, such as the no-break spaces of a text that was copied from a page.
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
    for (const Blank& blank : kBlanks)
      if (rest.starts_with(blank.utf8)) return WideBlank{number, blank.name, blank.bytes};
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
        "{}:{}: begins with {}, which is a letter for YAML; indent with blanks alone: LC_ALL=C sed "
        "'s/{}/ /g' {} > NEW.yaml",
        name, blank->line + 1, blank->name, blank->bytes, shell_word(name));
  try {
    if (const auto second = second_document(yaml))
      throw ConfigError("{}:{}: a second YAML document begins; a configuration is one", name,
                        second->line + 1);
    return YAML::Load(yaml);
  } catch (const YAML::Exception& error) {
    if (const auto tab = line_with_tab(yaml))
      throw ConfigError("{}:{}: begins with a tab; YAML is indented with blanks alone", name,
                        *tab + 1);
    const std::string line = error.mark.line < 0 ? "" : ":" + std::to_string(error.mark.line + 1);
    throw ConfigError(name + line + ": not valid YAML: " + one_line(error.msg));
  }
}

}  // namespace heed::config
