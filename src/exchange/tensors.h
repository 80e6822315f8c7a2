// Tensors in the file formats of other programs. Every reader takes bytes that nobody has checked:
// it throws UserError that begins with `name`, and executes no code that a file contains.
#pragma once

#include <cstddef>
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

inline constexpr std::size_t kMostDimensions = 64;

/// The tensors of a file by their names.
using Tensors = std::map<std::string, Tensor>;

/// The tensor's numbers in fp32, without a copy if that is possible. Throws UserError that begins
/// with `name`, which names file and tensor, where the tensor has whole numbers, NaN or infinity.
engine::Array array_of(const Tensor& tensor, const std::string& name);

/// A tensor of some of `numbers`: its first number is number `offset`, and neighbours in dimension
/// d are strides[d] numbers apart. They are not copied if they lie row by row.
Tensor tensor_of(model::Dtype type, std::vector<int64_t> shape, const std::vector<int64_t>& strides,
                 int64_t offset, const Bytes& numbers, const std::string& name);

/// The strides of a tensor whose numbers lie row by row.
std::vector<int64_t> strides_of(const std::vector<int64_t>& shape);

/// Reads a file as model::open_safetensors() does, but without heed's checksum.
Tensors read_safetensors(const Bytes& file, const std::string& name);

/// Reads NumPy's .npz, stored or deflated, with little-endian arrays of any type that Dtype has,
/// also in Fortran's order.
Tensors read_npz(const Bytes& file, const std::string& name);

}  // namespace heed::exchange
