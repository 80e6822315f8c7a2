// Writes the files of decode/search/shortlist.h.
#pragma once

#include <cstdint>
#include <string>

#include "decode/search/shortlist.h"

namespace heed::decode {

/// The bytes of a file of these lists, of at most `best` pieces.
std::string bytes_of_table(const ShortlistTable& table, int64_t best);

}  // namespace heed::decode
