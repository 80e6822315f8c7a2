#include "apps/cli/shown_model.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/run_folder.h"
#include "data/config.h"
#include "data/languages.h"
#include "model/description/traits.h"
#include "run/line_models.h"
#include "serve/served_model.h"
#include "study/alignment.h"
#include "text/lines.h"
#include "text/words.h"

namespace heed {
namespace {

/// The sources in the samples of a run's last validation; none where the folder has no such file.
std::vector<std::string> validated_sources(const std::string& folder) {
  constexpr std::string_view kBeginning = "source     ";
  const std::string validations = file_in(folder, kValidations);
  std::string newest;  // the number of its update
  for (const std::string& name : names_in(validations)) {
    const std::string update = name.substr(0, name.find('.'));
    if (name == update + ".txt" &&
        std::pair(update.size(), update) > std::pair(newest.size(), newest))
      newest = update;
  }
  if (newest.empty()) return {};
  std::vector<std::string> sources;
  text::LineReader reader(file_in(validations, newest + ".txt"));
  for (std::string line; reader.next(line);)
    if (line.starts_with(kBeginning)) sources.push_back(line.substr(kBeginning.size()));
  return sources;
}

/// Short sentences of the run's own validations, each longer than the one before; without these, of
/// its validation set. None where both are gone.
std::vector<std::string> examples_of(const std::string& folder, const run::Config& config) {
  constexpr std::size_t kMost = 3;
  constexpr int64_t kLongest = 14;
  std::vector<std::string> found;
  int64_t words = 2;
  const auto take = [&](const std::string& line) {
    const int64_t count = text::count_words(line);
    if (found.size() == kMost || count <= words || count > kLongest) return;
    found.push_back(line);
    words = count;
  };
  try {
    for (const std::string& line : validated_sources(folder)) take(line);
    std::error_code ignored;
    // A set that can be read only once is left alone.
    if (!found.empty() || !std::filesystem::is_regular_file(config.data.valid.source, ignored))
      return found;
    text::LineReader reader(config.data.valid.source);
    for (std::string line; found.size() < kMost && reader.next(line);) take(line);
  } catch (const UserError&) {  // a page needs no examples
  }
  return found;
}

}  // namespace

data::LanguagePair shown_languages(const run::Config& config) {
  data::LanguagePair languages = data::language_pair(config.data);
  if (languages.source.empty()) languages.source = "source";
  if (languages.target.empty()) languages.target = "target";
  return languages;
}

serve::ShownModel shown_model(const std::string& name, const std::string& folder,
                              const run::Config& config) {
  const model::Traits traits = model::traits(config.model);
  const study::AlignmentChoice usual = run::usual_choice(config);
  return {.name = name,
          .kinds = traits.kinds,
          .softmax_kinds = traits.softmax_kinds,
          .layer = usual.layer,
          .head = usual.head,
          .examples = examples_of(folder, config)};
}

}  // namespace heed
