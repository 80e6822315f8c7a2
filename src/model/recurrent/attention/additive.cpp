#include "kernels/additive.h"

#include <ATen/ATen.h>

#include <memory>

#include "kernels/normalisers/normaliser.h"
#include "kernels/product.h"
#include "kernels/tensor.h"
#include "model/embedding.h"
#include "model/recurrent/attention/common.h"

namespace heed::model {
namespace {

struct AdditiveCache : SequenceCache {
  kernels::Collected query;       // W
  kernels::AdditiveMemory fused;  // keys and values for the kernel, where it takes them
  Tensor keys, bias;              // of which it was made
};

class Additive : public Attention {
 public:
  explicit Additive(const AttentionSize& size) : weighing_(size.weighing) {
    query_ = register_parameter("query", xavier(size.hidden, size.query));
    key_ = register_parameter("key", xavier(size.hidden, size.memory));
    score_ = register_parameter("score", xavier(1, size.hidden).squeeze(0));
  }

 protected:
  Prepared project(const Encoded& encoded) override {
    return {encoded, kernels::linear(encoded.values, kernels::widened(key_))};
  }

  std::shared_ptr<const SequenceCache> share(const Prepared& memory) override {
    auto cache = std::make_shared<AdditiveCache>();
    cache->query = kernels::collected(kernels::widened(query_));
    cache->keys = memory.keys;
    cache->bias = memory.bias;
    if (kernels::is_softmax(weighing_.normalise) && (weighing_.dropout == 0 || !is_training()))
      cache->fused = kernels::additive_memory(memory.keys, memory.values, score_, memory.bias);
    return cache;
  }

  Attended attend(const StepInput& step, const Prepared& memory) override {
    const auto& cache = static_cast<const AdditiveCache&>(*memory.cache);
    const Tensor projected = kernels::collected_linear(step.query, cache.query);
    const bool same = memory.keys.is_same(cache.keys) && memory.bias.is_same(cache.bias);
    if (cache.fused.defined() && same && !step.exchange) {
      const auto fused = kernels::additive_attention(projected, cache.fused, step.logs);
      return {fused.context, fused.weights, fused.logs};
    }
    const Tensor scores =
        kernels::additive_scores(projected, memory.keys, kernels::widened(score_));
    return attend_with(scores, step, memory, weighing_, is_training());
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
