// What an exported model is, for those who find it on a model hub.
#pragma once

#include <string>

#include "apps/cli/shown_model.h"
#include "run/config.h"

namespace heed {

inline constexpr const char* kModelCard = "README.md";

/// Markdown with YAML in front, of the model in the folder `path`: languages as far as their codes
/// are known, how to load it, scores and training as far as the folder has them.
std::string model_card(const std::string& path, const run::Config& config,
                       const LanguageOptions& languages);

}  // namespace heed
