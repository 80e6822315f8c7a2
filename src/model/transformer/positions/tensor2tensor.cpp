// x(pos) + PE(pos), PE(pos, i) = sin(pos f(i)), PE(pos, width / 2 + i) = cos(pos f(i)), f(i) =
// 10000^(-i / (width / 2 - 1)); and x(0) of a decoder is 0 (model::begins_with_zeros())
// tensor2tensor, Vaswani et al. 2018. No weights, and no end.
#include <ATen/ATen.h>

#include <cstdint>
#include <memory>

#include "kernels/rows/positions.h"
#include "model/transformer/positions/positions.h"

namespace heed::model {
namespace {

Tensor halved_sinusoids(int64_t first, int64_t length, int64_t width) {
  Tensor rows = at::empty({length, width}, at::kFloat);
  kernels::halved_sinusoids(first, length, width, rows.mutable_data_ptr<float>());
  return rows;
}

class Tensor2tensor : public Positions {
 public:
  explicit Tensor2tensor(const PositionsSize& size)
      : table_(register_module("table",
                               std::make_shared<PositionTable>(&halved_sinusoids, size.width))) {}

  Tensor vectors(int64_t first, int64_t length) const override {
    return table_->rows(first, length);
  }

 private:
  std::shared_ptr<PositionTable> table_;
};

}  // namespace

PositionsPtr make_tensor2tensor(const PositionsSize& size) {
  return std::make_shared<Tensor2tensor>(size);
}

}  // namespace heed::model
