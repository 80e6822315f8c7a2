// softmax(n(Q) n(K)^T / sqrt(head)) V, where n is a layer norm of each head with a learned gain
// Dehghani et al. 2023, section 2 (query/key normalization).
#include <ATen/ATen.h>

#include "model/transformer/attention/softmax.h"

namespace heed::model {
namespace {

class QkNorm : public SoftmaxAttention {
 public:
  QkNorm(const MultiHeadOptions& options, const LayerIndex& index)
      : SoftmaxAttention(options, index),
        gains_(register_parameter("gains", at::ones({2, 1, options.head()}))) {}

 protected:
  Tensor prepared(const Tensor& x) const override {  // [..., heads + kv heads, head]
    const Tensor gains =
        at::cat({gains_[0].expand({options_.count(), -1}), gains_[1].expand({options_.kv(), -1})});
    return (at::layer_norm(x, {x.size(-1)}) * gains).to(x.scalar_type());
  }

 private:
  Tensor gains_;  // [2, 1, head], of queries and of keys
};

}  // namespace

SelfAttentionPtr make_qk_norm(const MultiHeadOptions& options, const LayerIndex& index) {
  return std::make_shared<QkNorm>(options, index);
}

}  // namespace heed::model
