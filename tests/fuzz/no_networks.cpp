// The constructors of the registries, for a program that only looks at their names.
#include "base/error.h"
#include "engine/network.h"
#include "kernels/normalisers/normaliser.h"
#include "model/recurrent/attention/attention.h"
#include "model/transformer/positions/positions.h"

namespace heed::model {

#define HEED_ATTENTION(name, timing, help)         \
  AttentionPtr make_##name(const AttentionSize&) { \
    throw Bug("a fuzz target builds no network");  \
  }
#include "model/recurrent/attention/registry.def"
#undef HEED_ATTENTION

#define HEED_POSITIONS(name, effect, help)         \
  PositionsPtr make_##name(const PositionsSize&) { \
    throw Bug("a fuzz target builds no network");  \
  }
#include "model/transformer/positions/registry.def"
#undef HEED_POSITIONS

}  // namespace heed::model

namespace heed::engine {

bool has_network(const model::ModelConfig&) {
  return true;
}

}  // namespace heed::engine

namespace heed::kernels {

#define HEED_NORMALISER(name, help)               \
  Tensor name(const Tensor&) {                    \
    throw Bug("a fuzz target builds no network"); \
  }
#include "kernels/normalisers/registry.def"
#undef HEED_NORMALISER

}  // namespace heed::kernels
