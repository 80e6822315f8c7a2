// Marian's binary files, which also hold the models of Bergamot and Firefox:
//
//   u64 version, items
//   items times: u64 length of the name, type, dimensions, bytes of data
//   names, each with a 0 at its end; i32 dimensions; u64 count, and that many bytes of filling
//   data of the items, each filled up to a multiple of 256 bytes
//
// Numbers of 8 bits (intgemm8) are a matrix that is transposed, but for word vectors, and after it
// one fp32 multiplier: a weight is number / multiplier.
#pragma once

#include <string>
#include <string_view>

#include "exchange/package.h"
#include "exchange/tensors.h"

namespace heed::exchange {

/// Whether a file that begins with these bytes is such a file, and none of another program's
/// "model.bin".
bool is_marian_bin(std::string_view bytes);

/// Reads such a file as if it were the .npz that it was made of: numbers of 8 bits become fp32 with
/// the same value, in the matrix' own order. Throws UserError that begins with `name` where it is
/// cut off or damaged, is of another version, or has numbers that are arranged for one kind of
/// processor.
Tensors read_marian_bin(const Bytes& file, const std::string& name);

}  // namespace heed::exchange
