// A model as a page shows it: that of heed serve, and that of heed export --format web.
#pragma once

#include <string>

#include "data/languages.h"
#include "run/config.h"
#include "serve/answers/answers.h"

namespace heed {

/// The codes of a model's languages as a server or a page calls them: "source" and "target" where
/// neither its configuration nor the names of its corpus's files say them.
data::LanguagePair shown_languages(const run::Config& config);

/// `folder` is the model's, whose validations have the page's examples.
serve::ShownModel shown_model(const std::string& name, const std::string& folder,
                              const run::Config& config);

}  // namespace heed
