// Tensors in the file formats of other programs. Every reader takes bytes that nobody has checked:
// it throws UserError that begins with `name`, and executes nothing that they say.
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

/// By the names of the file.
using Tensors = std::map<std::string, Tensor>;

/// In fp32, where they lie if that is possible. Throws UserError that begins with `name`, which
/// says file and tensor, where it is of whole numbers, or has NaN or infinity in it.
engine::Array array_of(const Tensor& tensor, const std::string& name);

/// Numbers of `numbers` as a tensor: the first is number `offset`, and from one to the next of
/// dimension d it is strides[d] numbers. They stay where they are if they lie row by row.
Tensor tensor_of(model::Dtype type, std::vector<int64_t> shape, const std::vector<int64_t>& strides,
                 int64_t offset, const Bytes& numbers, const std::string& name);

/// Of numbers that lie row by row.
std::vector<int64_t> strides_of(const std::vector<int64_t>& shape);

/// As model::open_safetensors(), without heed's checksum.
Tensors read_safetensors(const Bytes& file, const std::string& name);

/// NumPy's .npz, stored or deflated, with little-endian arrays of any type that Dtype has, also in
/// Fortran's order.
Tensors read_npz(const Bytes& file, const std::string& name);

}  // namespace heed::exchange
