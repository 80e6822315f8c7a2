// e(t,i) = s(t) . h(i)
// Luong, Pham and Manning 2015, section 3.1, "dot". Both states must be equally wide.
#include <ATen/ATen.h>

#include <memory>

#include "base/error.h"
#include "model/recurrent/attention/common.h"

namespace heed::model {
namespace {

class LuongDot : public Attention {
 public:
  explicit LuongDot(const AttentionSize& size) : weighing_(size.weighing) {
    expect(size.query == size.memory, "both states are equally wide");
  }

 protected:
  Attended attend(const StepInput& step, const Prepared& memory) override {
    const Tensor& keys = memory.keys.defined() ? memory.keys : memory.values;
    const Tensor scores = at::bmm(step.query, keys.transpose(1, 2));
    return attend_with(scores, step, memory, weighing_, is_training());
  }

 private:
  Weighing weighing_;
};

}  // namespace

AttentionPtr make_luong_dot(const AttentionSize& size) {
  return std::make_shared<LuongDot>(size);
}

}  // namespace heed::model
