// Weights that torch.save() wrote.
#pragma once

#include <string>

#include "exchange/package.h"
#include "exchange/tensors.h"

namespace heed::exchange {

/// What torch.save() wrote of a dictionary of tensors, perhaps inside dictionaries whose keys are
/// then joined by points: a zip archive, or the older format. Whatever else is in it (texts,
/// numbers, lists) is left out. Tensors that share their numbers do so here, too, where these lie
/// row by row.
Tensors read_pickle(const Bytes& file, const std::string& name);

}  // namespace heed::exchange
