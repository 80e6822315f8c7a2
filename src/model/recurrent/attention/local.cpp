// a(t,i) = softmax (or another normaliser) over i in [p(t) - D, p(t) + D] of e(t,i), with any of
// Luong's scores e
//   local_m: p(t) = t, but never after the last word
//   local_p: p(t) = S sigmoid(v . tanh(W s(t))), and a(t,i) is multiplied by
//            exp(-(i - p(t))^2 / (2 (D/2)^2))
// Luong, Pham and Manning 2015, section 3.2, equations 7 to 10; S: the sentence's length. As in
// equation 10 the context's weights are not normalised again; the weights that are reported are.
#include <ATen/ATen.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "kernels/tensor.h"
#include "model/description/config.h"
#include "model/embedding.h"
#include "model/recurrent/attention/common.h"

namespace heed::model {
namespace {

class Local : public Attention {
 public:
  Local(AttentionMaker make, AttentionSize size, Window window, int64_t half_width)
      : predicts_(window == Window::local_p),
        half_width_(static_cast<double>(half_width)),
        dropout_(size.weighing.dropout) {
    if (predicts_) {
      size.weighing.dropout = 0;  // of the weights after the Gaussian
      inner_ = register_parameter("position", xavier(size.hidden, size.query));
      score_ = register_parameter("position_score", xavier(1, size.hidden).squeeze(0));
    }
    scores_ = register_module("scores", make(size));
  }

 protected:
  Prepared project(const Encoded& encoded) override { return scores_->prepare(encoded); }
  std::shared_ptr<const SequenceCache> share(const Prepared& memory) override {
    return scores_->begin(memory).cache;
  }

  Attended attend(const StepInput& step, const Prepared& memory) override {
    const Tensor offset = offsets(step, memory);
    Prepared window = memory;
    window.bias = memory.bias.expand_as(offset).masked_fill(
        offset.abs().gt(half_width_), -std::numeric_limits<double>::infinity());
    // `exchange` is for the weights that are used: those of local_p are made below.
    StepInput inside = step;
    if (predicts_) inside.exchange = nullptr;
    const Attended attended = scores_->forward(std::move(inside), window);
    if (!predicts_) return attended;
    const double deviation = half_width_ / 2;
    const Tensor gauss = at::exp(offset.square() * (-0.5 / (deviation * deviation)));
    Tensor weights = attended.weights * gauss;
    if (step.exchange) weights = step.exchange(weights, step.head);
    const Tensor used = drop(weights, dropout_, is_training());
    return {at::bmm(used, memory.values), weights / weights.sum(-1, true), {}};
  }

 private:
  // Returns i - p(t): [sentences, query, source].
  Tensor offsets(const StepInput& asked, const Prepared& memory) const {
    const auto options = memory.bias.options();
    const Tensor length = memory.valid.sum(1, true).to(options.dtype());  // [sentences, 1]
    Tensor center;                                                        // [sentences, query]
    if (predicts_) {
      const Tensor inner = at::tanh(at::linear(asked.query, kernels::widened(inner_)));
      center = length * at::sigmoid(at::matmul(inner, kernels::widened(score_)));
    } else {
      const Tensor step =
          at::arange(asked.query.size(1), options).mul_(asked.stride).add_(asked.position);
      center = at::minimum(step.unsqueeze(0), length - 1);
    }
    return at::arange(memory.valid.size(1), options) - center.unsqueeze(-1);
  }

  bool predicts_;
  double half_width_, dropout_;
  Tensor inner_;  // W [hidden, query]
  Tensor score_;  // v [hidden]
  AttentionPtr scores_;
};

}  // namespace

AttentionPtr make_local(AttentionMaker make, const AttentionSize& size, Window window,
                        int64_t half_width) {
  return std::make_shared<Local>(make, size, window, half_width);
}

}  // namespace heed::model
