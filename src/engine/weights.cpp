#include "engine/weights.h"

#include <functional>
#include <numeric>

#include "base/error.h"

namespace heed::engine {

int64_t Array::count() const {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

const Array& Weights::at(const std::string& name) const {
  const auto found = arrays_.find(name);
  expect(found != arrays_.end(), "a weight of the network");
  return found->second;
}

Linear make_linear(const Array& weight, const Array* bias, WeightFormat numbers, int64_t first,
                   int64_t count) {
  if (count < 0) count = weight.rows() - first;
  const int64_t inner = weight.columns();
  Linear linear{{weight.data + first * inner, count, inner, numbers}, {}};
  if (bias) linear.bias.assign(bias->data + first, bias->data + first + count);
  return linear;
}

}  // namespace heed::engine
