// The page of `heed faithful`: which pictures of attention may be believed.
#pragma once

#include <string>
#include <vector>

#include "study/faithful.h"

namespace heed::draw {

struct FaithfulPage {
  std::string model;               // its name
  std::vector<std::string> notes;  // how the numbers were made
};

/// One HTML file without outside parts.
std::string faithful_page(const study::FaithfulReport& report, const FaithfulPage& page);

}  // namespace heed::draw
