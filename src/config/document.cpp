#include "config/document.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <sstream>

#include "base/strings.h"
#include "config/schema.h"

namespace heed::config {
namespace {

/// Sees where the content of documents begins, and nothing else of them.
class Beginnings : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override {
    last.byte = static_cast<std::size_t>(std::max(mark.pos, 0));
    begins_ = true;
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { see(mark); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { see(mark); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string&) override {
    see(mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    see(mark);
  }
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    see(mark);
  }
  void OnMapEnd() override {}

  SecondDocument last;

 private:
  void see(const YAML::Mark& mark) {
    if (begins_) last.line = mark.line;
    begins_ = false;
  }
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

}  // namespace

// YAML::LoadAll would not do: of some texts that are no YAML ("!a b", line feed, "? c") it makes
// documents without end.
std::optional<SecondDocument> second_document(const std::string& yaml) {
  std::istringstream text(yaml);
  YAML::Parser parser(text);
  Beginnings documents;
  for (int i = 0; i < 2; ++i)
    if (!parser.HandleNextDocument(documents)) return std::nullopt;
  return documents.last;
}

YAML::Node load_document(const std::string& yaml, const std::string& name) {
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
