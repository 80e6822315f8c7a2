// e(t,i) = s(t) . W h(i)
// Luong, Pham and Manning 2015, section 3.1, "general". W h(i) is computed once per sentence.
#include <ATen/ATen.h>

#include <memory>

#include "kernels/product.h"
#include "kernels/tensor.h"
#include "model/embedding.h"
#include "model/recurrent/attention/common.h"

namespace heed::model {
namespace {

class LuongGeneral : public Attention {
 public:
  explicit LuongGeneral(const AttentionSize& size) : weighing_(size.weighing) {
    key_ = register_parameter("key", xavier(size.query, size.memory));
  }

 protected:
  Prepared project(const Encoded& encoded) override {
    return {encoded, kernels::linear(encoded.values, kernels::widened(key_))};
  }

  Attended attend(const StepInput& step, const Prepared& memory) override {
    const Tensor scores = at::bmm(step.query, memory.keys.transpose(1, 2));
    return attend_with(scores, step, memory, weighing_, is_training());
  }

 private:
  Tensor key_;  // W [query, memory]
  Weighing weighing_;
};

}  // namespace

AttentionPtr make_luong_general(const AttentionSize& size) {
  return std::make_shared<LuongGeneral>(size);
}

}  // namespace heed::model
