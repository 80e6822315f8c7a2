// The formulas of train/optimizers.def.
#include <cstddef>
#include <vector>

#include "train/config.h"
#include "train/optimizers/formula.h"

namespace heed::train {

StepFormula step_formula(OptimizerKind kind) {
  static const std::vector<StepFormula> all = {
#define HEED_OPTIMIZER(name, ...) name##_step,
#include "train/optimizers.def"
#undef HEED_OPTIMIZER
  };
  return all.at(static_cast<std::size_t>(kind));
}

}  // namespace heed::train
