// Which model answers a request.
#pragma once

#include <cstddef>
#include <vector>

#include "serve/parameters.h"
#include "serve/served_model.h"

namespace heed::serve {

/// The model that `model` names or, if none is named, the first of those that fit `source` and
/// `target` best. Throws UserError where there is none.
std::size_t choose(const std::vector<ServedModel>& models, const Parameters& parameters);

}  // namespace heed::serve
