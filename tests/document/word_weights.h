// Attention that is worked out by hand.
#pragma once

#include <cstddef>
#include <vector>

#include "document/inlays.h"

namespace heed::document {

/// Word j of the translation attends to those of links[j]: 0.9 in equal shares, and 0.1 spread over
/// all.
inline WordWeights weights_of(const std::vector<std::vector<std::size_t>>& links,
                              std::size_t columns) {
  WordWeights out{columns, std::vector<double>(links.size() * columns, 0.1 / columns)};
  for (std::size_t row = 0; row < links.size(); ++row)
    for (const std::size_t column : links[row])
      out.values[row * columns + column] += 0.9 / static_cast<double>(links[row].size());
  return out;
}

}  // namespace heed::document
