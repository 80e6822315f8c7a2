// Parts of a model that training leaves as they are.
#pragma once

#include <string>
#include <vector>

#include "model/model.h"

namespace heed::model {

/// The parameters of the modules with these dotted names, and parameters named so themselves, take
/// no gradient any more. Tied weights are frozen by any of their names. Throws UserError where a
/// name fits nothing, or where nothing is left to train.
void freeze(Model& model, const std::vector<std::string>& names);

}  // namespace heed::model
