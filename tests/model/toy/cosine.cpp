// e(t,i) = b cos(s(t), h(i)), b learned
// Graves, Wayne and Danihelka 2014, section 3.3.1, equations 5 and 6 (addressing by content).
#include <ATen/ATen.h>

#include "model/recurrent/attention/common.h"

namespace heed::model {
namespace {

Tensor unit(const Tensor& x) {
  return x / x.norm(2, -1, true).clamp_min(1e-6);  // padding is zero, and 0 / 0 is no number
}

class Cosine : public Attention {
 public:
  explicit Cosine(const AttentionSize& size) : weighing_(size.weighing) {
    sharpness_ = register_parameter("sharpness", at::ones({1}));
  }

 protected:
  Prepared project(const Encoded& encoded) override {
    return {encoded, unit(encoded.values)};  // once per sentence
  }

  Attended attend(const StepInput& step, const Prepared& memory) override {
    const Tensor scores =
        at::bmm(unit(step.query), memory.keys.transpose(1, 2));  // [sentences, query, source]
    return attend_with(scores * sharpness_, step, memory, weighing_, is_training());
  }

 private:
  Tensor sharpness_;  // b [1]
  Weighing weighing_;
};

}  // namespace

AttentionPtr make_cosine(const AttentionSize& size) {
  return std::make_shared<Cosine>(size);
}

}  // namespace heed::model
