// One sentence pair as pieces.
#pragma once

#include <cstdint>
#include <vector>

#include "data/links.h"
#include "data/origin.h"

namespace heed::data {

/// Piece ids without bos and eos.
struct Example {
  std::vector<int32_t> source;
  std::vector<int32_t> target;
  Origin origin;
  std::vector<PieceLink> links = {};  // of pieces, by target, then source
  bool source_end = true;             // whether the model reads eos after the source
};

}  // namespace heed::data
