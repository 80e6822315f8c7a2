// What the models of a family are called where people read about them.
#pragma once

#include <string>
#include <vector>

#include "run/family.h"

namespace heed {

/// One for each member: "without attention", "Bahdanau", "Luong general with input feeding",
/// "Transformer"; where two would be the same, with the member's name behind.
std::vector<std::string> titles_of(const std::vector<run::FamilyMember>& members);

}  // namespace heed
