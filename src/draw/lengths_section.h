// BLEU by source length on a page: the curve and the table.
#pragma once

#include <string>

#include "score/lengths.h"

namespace heed::draw {

/// With its heading.
std::string lengths_section(const score::LengthReport& lengths);

}  // namespace heed::draw
