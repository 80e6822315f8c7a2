// Weights that torch.save() wrote.
#pragma once

#include <string>

#include "exchange/package.h"
#include "exchange/tensors.h"

namespace heed::exchange {

/// Reads a dictionary of tensors that torch.save() wrote, as a zip archive or in the older format.
/// It may be inside of other dictionaries, whose keys are then joined by points. Other values
/// (texts, numbers, lists) are left out. Tensors that share their numbers do so here, too, where
/// these lie row by row.
Tensors read_pickle(const Bytes& file, const std::string& name);

}  // namespace heed::exchange
