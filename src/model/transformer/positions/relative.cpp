// e(i,j) = q(i) . (k(j) + a(clip(j - i))) / sqrt(head), with a vector a of each distance from -16
// to 16. Shaw, Uszkoreit and Vaswani 2018, equation 4 and section 3.2. Heads share the vectors,
// layers have their own. Values have no such vectors: the paper's table 3 finds no use in them
// beside those of the keys.
#include <ATen/ATen.h>

#include <cstdint>
#include <memory>

#include "kernels/rows/positions.h"
#include "model/embedding.h"
#include "model/transformer/positions/positions.h"

namespace heed::model {
namespace {

class Relative : public Positions {
 public:
  explicit Relative(const PositionsSize& size)
      : weight_(register_parameter(
            "weight", normal(size.layers * (2 * kernels::kRelativeReach + 1), size.head())
                          .view({size.layers, -1, size.head()}))) {}

  ScoresByDistance by_distance(int64_t layer, int64_t) const override {
    return {.reach = kernels::kRelativeReach, .numbers = {}, .vectors = weight_.select(0, layer)};
  }

 private:
  Tensor weight_;  // [layers, 2 * reach + 1, head]
};

}  // namespace

PositionsPtr make_relative(const PositionsSize& size) {
  return std::make_shared<Relative>(size);
}

}  // namespace heed::model
