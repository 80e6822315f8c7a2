// e(t,i) = v . tanh(W s(t-1) + U h(i))
// Bahdanau, Cho and Bengio 2015, appendix A.1.2 ("alignment model"). U h(i) does not depend on t:
// it is computed once per sentence.
#include <ATen/ATen.h>

#include "model/attention/common.h"

namespace heed::model {
namespace {

class Bahdanau : public Attention {
 public:
  explicit Bahdanau(const AttentionSize& size) : dropout_(size.dropout) {
    query_ = register_parameter("query", xavier(size.hidden, size.query));
    key_ = register_parameter("key", xavier(size.hidden, size.memory));
    score_ = register_parameter("score", xavier(1, size.hidden).squeeze(0));
  }

  Memory prepare(Memory memory) override {
    memory.keys = at::linear(memory.values, key_);
    return memory;
  }

  Attended forward(const Tensor& query, const Memory& memory, int64_t, int64_t) override {
    const Tensor scores = additive_scores(at::linear(query, query_), memory.keys, score_);
    return attend_with(scores, memory, dropout_, is_training());
  }

 private:
  Tensor query_;  // W [hidden, query]
  Tensor key_;    // U [hidden, memory]
  Tensor score_;  // v [hidden]
  double dropout_;
};

}  // namespace

AttentionPtr make_bahdanau(const AttentionSize& size) {
  return std::make_shared<Bahdanau>(size);
}

}  // namespace heed::model
