// Writes Marian's binary files (exchange/marian_bin.h) in numbers of 8 bits, as Bergamot's engine
// and Firefox's open them.
#pragma once

#include <map>
#include <string>

#include "engine/weights.h"

namespace heed::exchange {

/// Numbers of 8 bits: each is number / multiplier.
struct WholeNumbers {
  std::string bytes;
  float multiplier = 1;
};

/// The matrix in numbers from -127 to 127. Where all its numbers are such quotients already, as in
/// a model that was imported from such a file, they are the same ones.
WholeNumbers whole_numbers(const engine::Array& matrix);

/// Writes tensors by their names: matrices of more than one row in 8 bits, and beside them the
/// multipliers of their inputs, which are 127 / `largest`; others in fp32. Throws Failure where the
/// file cannot be written.
void write_marian_bin(const std::map<std::string, engine::Array>& tensors,
                      const std::map<std::string, float>& largest, const std::string& options,
                      const std::string& path);

}  // namespace heed::exchange
