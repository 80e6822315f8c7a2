#include "inspect/alignment_choice.h"

#include <algorithm>

namespace heed::inspect {

int64_t mean_head_of(const model::Traits& traits, int64_t layer) {
  return traits.heads(config::AttentionKind::cross, layer) > 1 ? -1 : 0;
}

study::AlignmentChoice usual_choice(const model::Traits& traits) {
  const int64_t layer = std::max<int64_t>(traits.layers(config::AttentionKind::cross) - 2, 0);
  return {.layer = layer, .head = mean_head_of(traits, layer)};
}

}  // namespace heed::inspect
