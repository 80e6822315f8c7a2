// e(i,j) = q(i) . k(j) / sqrt(head) + b(bucket(j - i)), with a number b of each head and bucket
// Raffel et al. 2020, section 2.1, and their code: 32 buckets, one for each short distance, then
// wider and wider ones up to 128; all distances beyond it are in one. An encoder has half of them
// for each side. All layers of a stack share the numbers. Unlike T5, heed keeps the division by
// sqrt(head).
#include <ATen/ATen.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/rows/positions.h"
#include "model/device.h"
#include "model/embedding.h"
#include "model/transformer/positions/positions.h"

namespace heed::model {
namespace {

class T5 : public Positions {
 public:
  explicit T5(const PositionsSize& size)
      : weight_(register_parameter("weight", normal(kernels::kT5Buckets, size.heads))),
        causal_(size.causal) {}

  ScoresByDistance by_distance(int64_t, int64_t length) const override {
    const int64_t reach = std::clamp<int64_t>(length - 1, 0, kernels::kT5Farthest);
    std::vector<int64_t> buckets;
    for (int64_t distance = -reach; distance <= reach; ++distance)
      buckets.push_back(kernels::t5_bucket(distance, causal_));
    const Tensor index = upload_numbers(buckets, weight_.device());
    return {.reach = reach, .numbers = weight_.index_select(0, index).t(), .vectors = {}};
  }

 private:
  Tensor weight_;  // [buckets, heads]
  bool causal_;
};

}  // namespace

PositionsPtr make_t5(const PositionsSize& size) {
  return std::make_shared<T5>(size);
}

}  // namespace heed::model
