// e(i,j) = q(i) . k(j) / sqrt(head) - m |i - j|, with a slope m of each head
// Press, Smith and Lewis 2022, section 3. With n heads, n a power of two, the slopes are 2^(-8/n),
// 2^(-16/n), ..., 2^-8; for another n the slopes that are missing are every second slope of twice
// as many heads, as in the paper's code. In the encoder the scores fall to both sides.
#include <ATen/ATen.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "kernels/rows/positions.h"
#include "model/device.h"
#include "model/transformer/positions/positions.h"

namespace heed::model {
namespace {

class Alibi : public Positions {
 public:
  explicit Alibi(const PositionsSize& size)
      : slopes_(at::tensor(kernels::alibi_slopes(size.heads), at::kDouble).unsqueeze(1)) {}

  ScoresByDistance by_distance(int64_t, int64_t length) const override {
    const int64_t reach = std::max<int64_t>(length - 1, 0);
    const Tensor distance = at::arange(-reach, reach + 1, at::kDouble).abs();
    return {.reach = reach, .numbers = uploaded(-slopes_ * distance), .vectors = {}};
  }

  using torch::nn::Module::to;
  void to(at::Device device, at::ScalarType dtype, bool) override {
    device_ = device;
    dtype_ = dtype;
  }
  void to(at::ScalarType dtype, bool) override { dtype_ = dtype; }
  void to(at::Device device, bool) override { device_ = device; }

 private:
  Tensor uploaded(const Tensor& numbers) const {
    return upload(numbers.to(dtype_ == at::kDouble ? at::kDouble : at::kFloat), device_);
  }

  Tensor slopes_;  // [heads, 1] on the CPU: a constant, no weight
  at::Device device_ = at::kCPU;
  at::ScalarType dtype_ = at::kFloat;
};

}  // namespace

PositionsPtr make_alibi(const PositionsSize& size) {
  return std::make_shared<Alibi>(size);
}

}  // namespace heed::model
