// The table of registry.def: names, help and constructors.
#include <vector>

#include "base/error.h"
#include "config/suggest.h"
#include "model/config.h"
#include "model/transformer/positions/positions.h"

namespace heed::model {

#define HEED_POSITIONS(name, help) PositionsPtr make_##name(const PositionsSize& size);
#include "model/transformer/positions/registry.def"
#undef HEED_POSITIONS

const std::vector<std::string>& position_names() {
  static const std::vector<std::string> names = {
#define HEED_POSITIONS(name, help) #name,
#include "model/transformer/positions/registry.def"
#undef HEED_POSITIONS
  };
  return names;
}

PositionsPtr make_positions(const std::string& name, const PositionsSize& size) {
#define HEED_POSITIONS(kind, help) \
  if (name == #kind) return make_##kind(size);
#include "model/transformer/positions/registry.def"
#undef HEED_POSITIONS
  throw UserError("model.positions: no positions are called '" + name + "'" +
                  config::did_you_mean(name, position_names()));
}

}  // namespace heed::model
