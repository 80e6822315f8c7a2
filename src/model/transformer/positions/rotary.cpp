// The pair (x(2i), x(2i + 1)) of a query or key at position p is rotated by the angle
// p / 10000^(2i / head), so that products of queries and keys know their distance alone.
// Su et al. 2021, equation 34.
#include <cstdint>
#include <memory>

#include "base/error.h"
#include "model/transformer/positions/positions.h"

namespace heed::model {
namespace {

class Rotary : public Positions {
 public:
  explicit Rotary(const PositionsSize& size)
      : table_(register_module("table",
                               std::make_shared<PositionTable>(&unit_rotations, size.head()))) {
    expect(size.head() % 2 == 0, "rotary positions need heads of even width");
  }

  Tensor rotations(int64_t first, int64_t length) const override {
    return table_->rows(first, length);
  }

 private:
  std::shared_ptr<PositionTable> table_;  // [positions, head / 2] complex
};

}  // namespace

PositionsPtr make_rotary(const PositionsSize& size) {
  return std::make_shared<Rotary>(size);
}

}  // namespace heed::model
