// YAML text as one document. Inside config/ only.
#pragma once

#include <yaml-cpp/node/node.h>

#include <cstddef>
#include <optional>
#include <string>

namespace heed::config {

/// The second document of a text, counted from 0.
struct SecondDocument {
  std::size_t byte = 0;  // its first
  int line = 0;          // of its content, which may be below a ---
};

/// The second document in `yaml`, if there is one. Text behind a whole value ("[a], b") is one,
/// too, and YAML::Load passes over it. Throws YAML::Exception.
std::optional<SecondDocument> second_document(const std::string& yaml);

/// The document in `yaml`, Null where there is none. Throws ConfigError, with `name` and the line,
/// for what is no YAML and for a second document.
YAML::Node load_document(const std::string& yaml, const std::string& name);

}  // namespace heed::config
