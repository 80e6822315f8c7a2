// e(i,j) = q(i) . k(j) / sqrt(head) - r log(1 + s |i - j|), with r and s above 0 of each head
// Chi, Fan, Ramadge and Rudnicky 2022 (KERPLE, the logarithmic kernel).
#include <ATen/ATen.h>

#include <algorithm>

#include "model/transformer/positions/positions.h"

namespace heed::model {
namespace {

class Kerple : public Positions {
 public:
  explicit Kerple(const PositionsSize& size)
      : weight_(register_parameter("weight", at::zeros({2, size.heads, 1}))) {}

  ScoresByDistance by_distance(int64_t, int64_t length) const override {
    const int64_t reach = std::max<int64_t>(length - 1, 0);
    const Tensor distance = at::arange(-reach, reach + 1, weight_.options()).abs();
    const Tensor rates = at::softplus(weight_);
    return {.reach = reach,
            .numbers = -rates[0] * (1 + rates[1] * distance).log(),  // [heads, 2 * reach + 1]
            .vectors = {}};
  }

 private:
  Tensor weight_;  // [2, heads, 1]
};

}  // namespace

PositionsPtr make_kerple(const PositionsSize& size) {
  return std::make_shared<Kerple>(size);
}

}  // namespace heed::model
