// Normalisers, which turn scores into attention weights: each is one file and one line of
// registry.def.
#pragma once

#include <string>
#include <vector>

#include "kernels/tensor.h"

namespace heed::kernels {

/// Takes scores [..., keys], fp32 or double, -inf where nobody may look; each row has a finite one.
/// Returns weights of the same shape and type: not negative, each row adds up to 1, exactly 0 at
/// -inf. Their gradient is exact, and 0 for scores of weights that are 0. On every device.
using Normalise = Tensor (*)(const Tensor& scores);

/// One line of registry.def.
struct Normaliser {
  const char* name;
  Normalise normalise;
};

#define HEED_NORMALISER(name, plain, help) Tensor name(const Tensor& scores);
#include "kernels/normalisers/registry.def"
#undef HEED_NORMALISER

const std::vector<Normaliser>& normalisers();

/// Whether `normalise` is softmax, the only normaliser that fused kernels know.
bool is_softmax(Normalise normalise);

/// Throws UserError for an unknown name.
Normalise normaliser(const std::string& name);

}  // namespace heed::kernels
