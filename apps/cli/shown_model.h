// A model as a page shows it: that of heed serve, and that of heed export --format web.
#pragma once

#include <string>

#include "apps/cli/command_line.h"
#include "run/config.h"
#include "serve/answers/answers.h"

namespace heed {

/// --source and --target.
struct LanguageOptions {
  std::string source, target;

  /// Adds these options under the heading Languages.
  void add(CommandLine& command);
  /// The codes of a model's languages: as given, else as its configuration says, else as its
  /// corpus's files are called.
  LanguageOptions of(const run::Config& config) const;
  /// The options without those that contradict a language which the configuration names: they were
  /// meant for another model.
  LanguageOptions without_other_languages(const run::Config& config) const;
};

/// `folder` is the model's, whose validations have the page's examples.
serve::ShownModel shown_model(const std::string& name, const std::string& folder,
                              const run::Config& config);

}  // namespace heed
