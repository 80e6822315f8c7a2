// The table of registry.def: names, effects, help and constructors.
#include <string>
#include <vector>

#include "base/error.h"
#include "base/kinds.h"
#include "config/suggest.h"
#include "model/description/config.h"
#include "model/transformer/positions/positions.h"

namespace heed::model {

#define HEED_POSITIONS(name, effect, help) PositionsPtr make_##name(const PositionsSize& size);
#include "model/transformer/positions/registry.def"
#undef HEED_POSITIONS

const std::vector<PositionsKindInfo>& positions_kinds() {
  static const std::vector<PositionsKindInfo> kinds = {
#define HEED_POSITIONS(name, effect, help) {#name, help, PositionsEffect::effect, make_##name},
#include "model/transformer/positions/registry.def"
#undef HEED_POSITIONS
  };
  return kinds;
}

const std::vector<std::string>& position_names() {
  static const auto names = column(positions_kinds(), &PositionsKindInfo::name);
  return names;
}

const std::vector<std::string>& position_helps() {
  static const auto helps = column(positions_kinds(), &PositionsKindInfo::help);
  return helps;
}

const PositionsKindInfo& positions_info(const std::string& name) {
  for (const PositionsKindInfo& kind : positions_kinds())
    if (name == kind.name) return kind;
  throw UserError("model.positions: no positions are called '{}'{}", name,
                  config::did_you_mean(name, position_names()));
}

PositionsPtr make_positions(const std::string& name, const PositionsSize& size) {
  return positions_info(name).make(size);
}

}  // namespace heed::model
