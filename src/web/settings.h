// A section of the configuration as JSON, and back: a page has no YAML.
#pragma once

#include <nlohmann/json.hpp>

#include "config/view.h"

namespace heed::web {

/// {"key": value, ...}; an enumeration is the position of its name. Not for lists of sections.
nlohmann::json settings_of(const config::SectionView& section);

/// Takes what settings_of() gave of a section of the same type.
void take_settings(const nlohmann::json& settings, const config::SectionView& section);

}  // namespace heed::web
