// The data before a document: YAML between `---`, or TOML between `+++`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "document/passage.h"

namespace heed::document {

/// Adds the values of `keys`, at any depth, as passages: each is one sentence, and is written with
/// quotes where it needs them. Values on several lines are prose without quotes. Returns the byte
/// after the front matter, or after a byte order mark where there is none. A rule before a blank
/// line begins none.
std::size_t add_front_matter(std::string_view bytes, const std::vector<std::string>& keys,
                             Passages& out);

}  // namespace heed::document
