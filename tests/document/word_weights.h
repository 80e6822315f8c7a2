// Attention that is worked out by hand.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "document/inlays.h"
#include "document/segment.h"
#include "text/words.h"

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

/// The segment with this translation, each of whose words attends to those at its share of the
/// source.
inline std::string translated_in_order(const Segment& segment, const std::string& translation) {
  const auto count = [](const std::string& text) {
    return static_cast<std::size_t>(text::count_words(text));
  };
  return with_inlays(segment, translation,
                     diagonal_weights(count(translation), count(segment.text)));
}

}  // namespace heed::document
