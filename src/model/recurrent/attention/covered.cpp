// e(t,i) = score(s, k(i) + V C(t-1,i)), where the score has keys k(i) and C(0,i) = 0
//   linguistic: C(t,i) = C(t-1,i) + a(t,i) / f(i), f(i) = max(2 sigmoid(u . h(i)), 0.001)
//   neural:     C(t,i) = GRU(C(t-1,i), [a(t,i); h(i); s])
// Tu et al. 2016, equations 6 to 9; f(i) is the fertility of a source word, at most 2. The bound
// below is not in the paper: without it a fertility that rounds to 0 makes a / f no number. With
// the additive score this is v . tanh(W s + U h(i) + V C(t-1,i)), as in the paper.
#include <ATen/ATen.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "base/error.h"
#include "kernels/product.h"
#include "kernels/tensor.h"
#include "model/description/config.h"
#include "model/embedding.h"
#include "model/recurrent/attention/common.h"

namespace heed::model {
namespace {

constexpr double kLargestFertility = 2, kSmallestFertility = 0.001;

struct CoveredCache : SequenceCache {
  std::shared_ptr<const SequenceCache> scores;  // of the mechanism inside
  Tensor facts;                                 // the numbers of each position that coverage reads
};

class Covered : public Attention {
 public:
  Covered(AttentionPtr scores, const AttentionSize& size, Coverage form, int64_t width)
      : neural_(form == Coverage::neural), width_(neural_ ? width : 1) {
    expect(size.query == size.memory && size.query == size.hidden,
           "keys are as wide as states, whatever the mechanism makes them of");
    scores_ = register_module("scores", std::move(scores));
    added_ = register_parameter("added", xavier(size.query, width_));
    if (!neural_) {
      fertility_ = register_parameter("fertility", xavier(1, size.memory).squeeze(0));
      return;
    }
    from_weight_ = register_parameter("from_weight", xavier(3 * width_, 1));
    from_memory_ = register_parameter("from_memory", xavier(3 * width_, size.memory));
    from_query_ = register_parameter("from_query", xavier(3 * width_, size.query));
    const auto square = [this] { return xavier(width_, width_); };
    recurrent_ = register_parameter("recurrent", at::cat({square(), square(), square()}));
    bias_ = register_parameter("bias", at::zeros({3 * width_}));
  }

  Tensor first_coverage(const Encoded& encoded) const override {
    return at::zeros({encoded.valid.size(0), 1, encoded.valid.size(1), width_},
                     encoded.values.options());
  }

 protected:
  Prepared project(const Encoded& encoded) override {
    Prepared memory = scores_->prepare(encoded);
    if (!memory.keys.defined()) memory.keys = memory.values;
    return memory;
  }

  std::shared_ptr<const SequenceCache> share(const Prepared& memory) override {
    auto cache = std::make_shared<CoveredCache>();
    cache->scores = scores_->begin(memory).cache;
    if (neural_) {
      cache->facts = kernels::linear(memory.values, kernels::widened(from_memory_));
    } else {
      const Tensor scores = at::matmul(memory.values, kernels::widened(fertility_));
      cache->facts = (kLargestFertility * at::sigmoid(scores)).clamp_min(kSmallestFertility);
    }
    return cache;
  }

  Attended attend(const StepInput& step, const Prepared& memory) override {
    expect(step.coverage.defined(), "coverage is carried from step to step");
    const auto& cache = static_cast<const CoveredCache&>(*memory.cache);
    const int64_t sentences = step.query.size(0), beam = step.query.size(1);
    const Tensor& before = step.coverage;
    const Tensor added = kernels::linear(before, kernels::widened(added_));
    Prepared own = of_hypotheses(memory, beam);
    own.keys = (memory.keys.unsqueeze(1) + added).flatten(0, 1);
    own.cache = cache.scores;
    StepInput one = step;
    one.query = step.query.flatten(0, 1).unsqueeze(1);
    const Attended attended = scores_->forward(std::move(one), own);
    const auto back = [&](const Tensor& x) {  // [sentences * beam, 1, any]
      return x.defined() ? x.squeeze(1).unflatten(0, {sentences, beam}) : Tensor();
    };
    Attended out{back(attended.context), back(attended.weights), back(attended.logs)};
    out.coverage = neural_ ? gated(step.query, before, out.weights, cache.facts)
                           : before + (out.weights / cache.facts.unsqueeze(1)).unsqueeze(-1);
    return out;
  }

 private:
  /// Makes a sentence of each hypothesis, because each has keys of its own.
  static Prepared of_hypotheses(const Prepared& memory, int64_t beam) {
    const auto each = [beam](const Tensor& x) {
      auto shape = x.sizes().vec();
      shape.insert(shape.begin() + 1, beam);
      return x.unsqueeze(1).expand(shape).flatten(0, 1);
    };
    Prepared own = memory;
    own.values = each(memory.values);
    own.valid = each(memory.valid);
    own.bias = each(memory.bias);
    return own;
  }

  /// A GRU's step for every position: [sentences, beam, source, width].
  Tensor gated(const Tensor& query, const Tensor& before, const Tensor& weights,
               const Tensor& facts) const {
    const Tensor asked =
        kernels::linear(query, kernels::widened(from_query_), kernels::widened(bias_));
    const Tensor input = weights.unsqueeze(-1) * kernels::widened(from_weight_).squeeze(1) +
                         facts.unsqueeze(1) + asked.unsqueeze(2);
    const auto in = input.chunk(3, -1);
    const auto recurrent = kernels::widened(recurrent_).chunk(3, 0);
    const Tensor update = at::sigmoid(in[0] + at::matmul(before, recurrent[0].t()));
    const Tensor reset = at::sigmoid(in[1] + at::matmul(before, recurrent[1].t()));
    const Tensor fresh = at::tanh(in[2] + at::matmul(reset * before, recurrent[2].t()));
    return before + update * (fresh - before);
  }

  bool neural_;
  int64_t width_;
  AttentionPtr scores_;
  Tensor added_;                                   // V [keys, width]
  Tensor fertility_;                               // u [memory]
  Tensor from_weight_, from_memory_, from_query_;  // rows: update, reset, fresh
  Tensor recurrent_, bias_;
};

}  // namespace

AttentionPtr make_covered(AttentionPtr scores, const AttentionSize& size, Coverage form,
                          int64_t width) {
  return std::make_shared<Covered>(std::move(scores), size, form, width);
}

}  // namespace heed::model
