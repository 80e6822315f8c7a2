#include "engine/weights.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/error.h"

namespace heed::engine {

int64_t Array::count() const {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

Floats Array::copy() const {
  if (data != nullptr) return {data, data + count()};
  Floats all(count());
  for (int64_t row = 0; row < rows(); ++row) copy_row(row, all.data() + row * columns());
  return all;
}

void Array::copy_row(int64_t row, float* to) const {
  const int64_t width = columns();
  if (data != nullptr) {
    std::copy_n(data + row * width, width, to);
    return;
  }
  const float scale = quantised.scales[row];
  const int8_t* numbers = quantised.numbers + row * width;
  for (int64_t i = 0; i < width; ++i) to[i] = scale * static_cast<float>(numbers[i]);
}

const Array& Weights::at(const std::string& name) const {
  const auto found = arrays_.find(name);
  if (found == arrays_.end())
    throw UserError(origin_ + ": has no tensor '" + name +
                    "'; these weights belong to another model");
  return found->second;
}

const Array& Weights::at(const std::string& name, const std::vector<int64_t>& shape) const {
  const Array& array = at(name);
  const auto fits = [](int64_t own, int64_t wanted) { return wanted < 0 || own == wanted; };
  if (!std::ranges::equal(array.shape, shape, fits))
    throw UserError(origin_ + ": tensor '" + name +
                    "' has not the model's shape; these weights belong to another model");
  return array;
}

Linear make_linear(const Array& weight, const Array* bias, WeightFormat numbers, int64_t first,
                   int64_t count) {
  if (count < 0) count = weight.rows() - first;
  const int64_t inner = weight.columns();
  Linear linear;
  if (weight.data != nullptr) {
    linear.matrix = {weight.data + first * inner, count, inner, numbers};
  } else if (numbers == WeightFormat::int8) {
    linear.matrix = {weight.quantised.from(first, inner), count, inner};
  } else {
    linear.matrix = {weight.copy().data() + first * inner, count, inner, numbers};
  }
  if (bias) linear.bias.assign(bias->data + first, bias->data + first + count);
  return linear;
}

}  // namespace heed::engine
