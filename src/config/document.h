// YAML text as one document. Inside config/ only.
#pragma once

#include <yaml-cpp/node/node.h>

#include <string>

namespace heed::config {

/// The document in `yaml`, Null where there is none. Throws ConfigError, with `name` and the line,
/// for what is no YAML and for a second document.
YAML::Node load_document(const std::string& yaml, const std::string& name);

}  // namespace heed::config
