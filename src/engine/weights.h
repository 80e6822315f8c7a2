// The numbers that a network is made of.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/matrix.h"

namespace heed::engine {

using Floats = std::vector<float>;

/// Numbers of a model, row by row, that stay where they are while `owner` lives.
struct Array {
  const float* data = nullptr;
  std::vector<int64_t> shape;
  std::shared_ptr<const void> owner = {};

  int64_t rows() const { return shape.front(); }
  int64_t columns() const { return shape.back(); }
  int64_t count() const;
  Floats copy() const { return {data, data + count()}; }
};

/// The weights of a model by their names in its file, in fp32.
class Weights {
 public:
  explicit Weights(std::map<std::string, Array> arrays) : arrays_(std::move(arrays)) {}

  /// Throws Bug where there is none of that name.
  const Array& at(const std::string& name) const;
  bool contains(const std::string& name) const { return arrays_.contains(name); }

 private:
  std::map<std::string, Array> arrays_;
};

/// x W^T + b.
struct Linear {
  Matrix matrix;
  Floats bias;  // [columns], or empty
};

/// Of rows [first, first + count) of `weight` [columns, inner] and of `bias`, null: none.
Linear make_linear(const Array& weight, const Array* bias, WeightFormat numbers, int64_t first = 0,
                   int64_t count = -1);

}  // namespace heed::engine
