#include "apps/cli/shown_model.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/error.h"
#include "data/config.h"
#include "data/languages.h"
#include "model/description/traits.h"
#include "run/line_models.h"
#include "serve/served_model.h"
#include "study/alignment.h"
#include "text/language_tags.h"
#include "text/lines.h"
#include "text/words.h"

namespace heed {
namespace {

/// Short lines of the validation set's source, each longer than the one before; none where it is
/// gone, or can be read only once.
std::vector<std::string> examples_of(const run::Config& config) {
  constexpr std::size_t kMost = 3;
  constexpr int64_t kLongest = 14;
  const std::string& file = config.data.valid.source;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return {};
  std::vector<std::string> found;
  try {
    text::LineReader reader(file);
    int64_t words = 2;
    for (std::string line; found.size() < kMost && reader.next(line);) {
      const int64_t count = text::count_words(line);
      if (count <= words || count > kLongest) continue;
      found.push_back(line);
      words = count;
    }
  } catch (const UserError&) {  // a page needs no examples
  }
  return found;
}

}  // namespace

void LanguageOptions::add(CommandLine& command) {
  command.group("Languages");
  command.option(
      "--source", source,
      "Code of the source language, e.g. de; default: the ending of the training corpus");
  command.option("--target", target, "Code of the target language");
}

LanguageOptions LanguageOptions::of(const run::Config& config) const {
  const data::LanguagePair own = data::language_pair(config.data);
  const auto chosen = [](const std::string& given, const std::string& code, const char* otherwise) {
    return !given.empty() ? given : !code.empty() ? code : otherwise;
  };
  return {chosen(source, own.source, "source"), chosen(target, own.target, "target")};
}

LanguageOptions LanguageOptions::without_other_languages(const run::Config& config) const {
  const data::LanguagePair own = data::language_pair(config.data);
  const auto fitting = [](const std::string& given, const std::string& code) {
    return text::is_known_language(code) && text::are_other_languages(given, code) ? "" : given;
  };
  return {fitting(source, own.source), fitting(target, own.target)};
}

serve::ShownModel shown_model(const std::string& name, const run::Config& config) {
  const model::Traits traits = model::traits(config.model);
  const study::AlignmentChoice usual = run::usual_choice(config);
  return {.name = name,
          .kinds = traits.kinds,
          .softmax_kinds = traits.softmax_kinds,
          .layer = usual.layer,
          .head = usual.head,
          .examples = examples_of(config)};
}

}  // namespace heed
