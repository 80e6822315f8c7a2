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
  explicit Additive(const AttentionSize& size) : dropout_(size.dropout) {
    query_ = register_parameter("query", xavier(size.hidden, size.query));
    key_ = register_parameter("key", xavier(size.hidden, size.memory));
    score_ = register_parameter("score", xavier(1, size.hidden).squeeze(0));
  }

  Memory prepare(Memory memory) override {
    memory.keys = kernels::linear(memory.values, key_);
    const bool reads_fp32 = memory.keys.is_cpu() && memory.keys.scalar_type() != at::kDouble;
    if (reads_fp32 && !at::GradMode::is_enabled())
      memory.keys = memory.keys.to(at::kFloat).contiguous();  // once, not at every step
    return memory;
  }

  Memory begin(Memory memory) override {
    memory.query = kernels::collected(query_);
    if (dropout_ == 0 || !is_training())
      memory.additive = kernels::additive_memory(memory.keys, memory.values, score_, memory.bias);
    return memory;
  }

  Attended forward(const Tensor& query, const Memory& memory, int64_t, int64_t) override {
    const Tensor projected = memory.query.weight.defined()
                                 ? kernels::collected_linear(query, memory.query)
                                 : at::linear(query, query_);
    if (memory.additive.defined()) {
      const auto fused = kernels::additive_attention(projected, memory.additive);
      return {fused.context, fused.weights};
    }
    const Tensor scores = kernels::additive_scores(projected, memory.keys, score_);
    return attend_with(scores, memory, dropout_, is_training());
  }

 private:
  Tensor query_;  // W [hidden, query]
  Tensor key_;    // U [hidden, memory]
  Tensor score_;  // v [hidden]
  double dropout_;
};

}  // namespace

AttentionPtr make_additive(const AttentionSize& size) {
  return std::make_shared<Additive>(size);
}

}  // namespace heed::model
