// The linear layers of a configuration's network, for code that measures how fast its products are.
#pragma once

#include <cstdint>
#include <vector>

#include "model/description/config.h"

namespace heed::model {

struct LayerSize {
  enum class Rows {
    all,    // multiplied with all positions of a batch at once
    step,   // with those of one step of a recurrence
    output  // as `all`; it makes logits
  };

  int64_t in = 0, out = 0;
  int64_t count = 1;  // of layers of this size
  Rows rows = Rows::all;
  /// So many of the layers read the source: a search multiplies them once with all positions of a
  /// sentence, and the others in each step with a row for each hypothesis.
  int64_t of_source = 0;

  bool operator==(const LayerSize&) const = default;
};

/// The layers with most of the multiplications. In a recurrent model the layers of attention and
/// coverage are left out: they are in fp32 in any precision.
std::vector<LayerSize> layer_sizes(const ModelConfig& config, int64_t target_vocabulary);

}  // namespace heed::model
