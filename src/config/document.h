// YAML text as one document. Inside config/ only.
#pragma once

#include <yaml-cpp/node/node.h>

#include <cstddef>
#include <optional>
#include <string>

namespace heed::config {

/// The second document of a text, counted from 0.
struct SecondDocument {
  std::size_t byte = 0;  // of its first byte
  int line = 0;          // line of its content, which may be below a ---
};

/// The second document in `yaml`, if there is one. Text after a whole value ("[a], b") is one, too,
/// although YAML::Load ignores it. Throws YAML::Exception.
std::optional<SecondDocument> second_document(const std::string& yaml);

/// The document in `yaml`, Null where there is none. Throws ConfigError, with `name` and the line,
/// where the text is no YAML or has a second document.
YAML::Node load_document(const std::string& yaml, const std::string& name);

}  // namespace heed::config
