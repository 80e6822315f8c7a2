#include "config/document.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "config/schema.h"
#include "config/yaml_slips.h"

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
  if (const auto slip = slip_that_parses(yaml, name)) throw ConfigError(*slip);
  try {
    if (const auto second = second_document(yaml))
      throw ConfigError("{}:{}: a second YAML document begins; a configuration is one", name,
                        second->line + 1);
    if (const auto open = line_with_open_quotation(yaml))
      throw ConfigError(kOpenQuotation, name, *open + 1);
    return YAML::Load(yaml);
  } catch (const YAML::Exception& error) {
    if (const auto slip = slip_behind(error.msg, error.mark.line, yaml, name))
      throw ConfigError(*slip);
    const std::string line = error.mark.line < 0 ? "" : ":" + std::to_string(error.mark.line + 1);
    throw ConfigError(name + line + ": not valid YAML: " + one_line(error.msg));
  }
}

}  // namespace heed::config
