// The page of `heed faithful`: which pictures of attention may be believed.
#pragma once

#include <string>
#include <vector>

#include "study/faithful.h"

namespace heed::draw {

/// One HTML file without outside parts. `model` is its name; `notes` say how the numbers were made.
std::string faithful_page(const study::FaithfulReport& report, const std::string& model,
                          const std::vector<std::string>& notes);

}  // namespace heed::draw
