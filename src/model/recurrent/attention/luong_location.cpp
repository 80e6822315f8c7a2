// a(t) = softmax(W s(t))
// Luong, Pham and Manning 2015, section 3.1, equation 8, "location": a row of W for each source
// position, whatever word stands there. As in the paper a short sentence takes the first rows, and
// words after the last row get no weight.
#include <ATen/ATen.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>

#include "kernels/tensor.h"
#include "model/embedding.h"
#include "model/recurrent/attention/common.h"

namespace heed::model {
namespace {

class LuongLocation : public Attention {
 public:
  explicit LuongLocation(const AttentionSize& size) : weighing_(size.weighing) {
    position_ = register_parameter("position", xavier(size.positions, size.query));
  }

 protected:
  Attended attend(const StepInput& step, const Prepared& memory) override {
    const int64_t source = memory.values.size(1);
    const int64_t known = std::min(source, position_.size(0));
    Tensor scores = at::linear(
        step.query, kernels::widened(position_.narrow(0, 0, known)));  // [sentences, query, known]
    if (known < source)
      scores = at::constant_pad_nd(scores, {0, source - known},
                                   -std::numeric_limits<double>::infinity());
    return attend_with(scores, step, memory, weighing_, is_training());
  }

 private:
  Tensor position_;  // W [positions, query]
  Weighing weighing_;
};

}  // namespace

AttentionPtr make_luong_location(const AttentionSize& size) {
  return std::make_shared<LuongLocation>(size);
}

}  // namespace heed::model
