#include "model/recurrent/attention/additive.h"

#include <ATen/ATen.h>

#include "kernels/additive.h"
#include "kernels/additive_scores.h"
#include "kernels/product.h"
#include "model/recurrent/attention/common.h"

namespace heed::model {

namespace {

class Additive : public Attention {
 public:
  explicit Additive(const AttentionSize& size) : weighing_(size.weighing) {
    query_ = register_parameter("query", xavier(size.hidden, size.query));
    key_ = register_parameter("key", xavier(size.hidden, size.memory));
    score_ = register_parameter("score", xavier(1, size.hidden).squeeze(0));
  }

 protected:
  Memory project(Memory memory) override {
    memory.keys = kernels::linear(memory.values, kernels::widened(key_));
    return memory;
  }

  Memory share(Memory memory) override {
    memory.query = kernels::collected(kernels::widened(query_));
    if (kernels::is_softmax(weighing_.normalise) && (weighing_.dropout == 0 || !is_training()))
      memory.additive = kernels::additive_memory(memory.keys, memory.values, score_, memory.bias);
    return memory;
  }

  Attended attend(const Tensor& query, const Memory& memory, int64_t, int64_t) override {
    const Tensor projected = memory.query.weight.defined()
                                 ? kernels::collected_linear(query, memory.query)
                                 : at::linear(query, kernels::widened(query_));
    if (memory.additive.defined() && !memory.exchange) {
      const auto fused = kernels::additive_attention(projected, memory.additive, memory.logs);
      return {fused.context, fused.weights, fused.logs};
    }
    const Tensor scores =
        kernels::additive_scores(projected, memory.keys, kernels::widened(score_));
    return attend_with(scores, memory, weighing_, is_training());
  }

 private:
  Tensor query_;  // W [hidden, query]
  Tensor key_;    // U [hidden, memory]
  Tensor score_;  // v [hidden]
  Weighing weighing_;
};

}  // namespace

AttentionPtr make_additive(const AttentionSize& size) {
  return std::make_shared<Additive>(size);
}

}  // namespace heed::model
