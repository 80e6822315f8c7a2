// e(t,i) = v . tanh(W [s(t); h(i)])
// Luong, Pham and Manning 2015, section 3.1, "concat". W = [W_s, W_h] is kept in its two parts,
// because W [s; h] = W_s s + W_h h and W_h h(i) is computed once per sentence.
#include <ATen/ATen.h>

#include "model/attention/common.h"

namespace heed::model {
namespace {

class LuongConcat : public Attention {
 public:
  explicit LuongConcat(const AttentionSize& size) : dropout_(size.dropout) {
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
  Tensor query_;  // W_s [hidden, query]
  Tensor key_;    // W_h [hidden, memory]
  Tensor score_;  // v [hidden]
  double dropout_;
};

}  // namespace

AttentionPtr make_luong_concat(const AttentionSize& size) {
  return std::make_shared<LuongConcat>(size);
}

}  // namespace heed::model
