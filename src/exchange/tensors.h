// Tensors in the file formats of other programs. Every reader takes bytes that nobody has checked:
// it throws UserError that begins with `name`, and executes nothing that they say.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/weights.h"
#include "exchange/package.h"
#include "model/description/safetensors_header.h"

namespace heed::exchange {

/// Numbers row by row, in the file's type.
struct Tensor {
  model::Dtype type{};
  std::vector<int64_t> shape;  // none: a single number
  Bytes bytes = {};
};

/// By the names of the file.
using Tensors = std::map<std::string, Tensor>;

/// In fp32, where they lie if that is possible. Throws UserError that names the tensor, where it is
/// of whole numbers, or has NaN or infinity in it.
engine::Array array_of(const Tensor& tensor, const std::string& name);

/// As model::open_safetensors(), without heed's checksum.
Tensors read_safetensors(const Bytes& file, const std::string& name);

/// NumPy's .npz, stored or deflated, with arrays of floating-point and whole numbers of at most 64
/// bits, also in Fortran's order.
Tensors read_npz(const Bytes& file, const std::string& name);

/// What torch.save() wrote of a dictionary of tensors, perhaps inside dictionaries whose keys are
/// then joined by points: a zip archive, or the older format. Views are made whole; tensors that
/// share their numbers are shared here, too.
Tensors read_pickle(const Bytes& file, const std::string& name);

}  // namespace heed::exchange
