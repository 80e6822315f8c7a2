// x(pos) + PE(pos), PE(pos, 2i) = sin(pos / 10000^(2i / width)), PE(pos, 2i + 1) = cos of the same
// Vaswani et al. 2017, section 3.5. No weights, and no end.
#include <cstdint>
#include <memory>

#include "model/transformer/positions/positions.h"

namespace heed::model {
namespace {

class Sinusoidal : public Positions {
 public:
  explicit Sinusoidal(const PositionsSize& size)
      : table_(register_module("table", std::make_shared<PositionTable>(&sinusoids, size.width))) {}

  Tensor vectors(int64_t first, int64_t length) const override {
    return table_->rows(first, length);
  }

 private:
  std::shared_ptr<PositionTable> table_;
};

}  // namespace

PositionsPtr make_sinusoidal(const PositionsSize& size) {
  return std::make_shared<Sinusoidal>(size);
}

}  // namespace heed::model
