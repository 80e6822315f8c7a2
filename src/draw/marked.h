// A translation with what differs from the reference marked.
#pragma once

#include <string>
#include <vector>

#include "study/comparison.h"

namespace heed::draw {

/// HTML: words that are not in the other text stand in <mark>.
std::string marked(const std::vector<study::TextPart>& parts);

}  // namespace heed::draw
