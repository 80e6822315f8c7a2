// The constructors of registry.def.
#include <string>

#include "base/error.h"
#include "model/transformer/positions/positions.h"

namespace heed::model {

#define HEED_POSITIONS(name, effect, plain, help) \
  PositionsPtr make_##name(const PositionsSize& size);
#include "model/transformer/positions/registry.def"
#undef HEED_POSITIONS

PositionsPtr make_positions(const std::string& name, const PositionsSize& size) {
#define HEED_POSITIONS(kind, effect, plain, help) \
  if (name == #kind) return make_##kind(size);
#include "model/transformer/positions/registry.def"
#undef HEED_POSITIONS
  throw Bug("positions of the registry");
}

}  // namespace heed::model
