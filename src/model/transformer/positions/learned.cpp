// x(pos) + w(pos), with a vector w of each position up to model.max_positions
// Gehring et al. 2017, section 3.1; Vaswani et al. 2017, table 3, row E.
#include <ATen/ATen.h>

#include <cstdint>
#include <memory>

#include "base/error.h"
#include "model/embedding.h"
#include "model/transformer/positions/positions.h"

namespace heed::model {
namespace {

class Learned : public Positions {
 public:
  explicit Learned(const PositionsSize& size)
      : weight_(register_parameter("weight", normal(size.longest, size.width))) {}

  Tensor vectors(int64_t first, int64_t length) const override {
    if (first + length > longest())
      throw UserError(
          "a sentence of {} pieces, the model's learned positions end at {}; shorten it, or train "
          "with larger model.max_positions or model.positions: sinusoidal",
          first + length, longest());
    return weight_.narrow(0, first, length);
  }

  int64_t longest() const override { return weight_.size(0); }

 private:
  Tensor weight_;  // [longest, width]
};

}  // namespace

PositionsPtr make_learned(const PositionsSize& size) {
  return std::make_shared<Learned>(size);
}

}  // namespace heed::model
