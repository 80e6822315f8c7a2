// e(t,i) = s(t) . W h(i)
// Luong, Pham and Manning 2015, section 3.1, "general". W h(i) is computed once per sentence.
#include <ATen/ATen.h>

#include "kernels/product.h"
#include "model/recurrent/attention/common.h"

namespace heed::model {
namespace {

class LuongGeneral : public Attention {
 public:
  explicit LuongGeneral(const AttentionSize& size) : weighing_(size.weighing) {
    key_ = register_parameter("key", xavier(size.query, size.memory));
  }

 protected:
  Memory project(Memory memory) override {
    memory.keys = kernels::linear(memory.values, kernels::widened(key_));
    return memory;
  }

  Attended attend(const Tensor& query, const Memory& memory, int64_t, int64_t) override {
    const Tensor scores = at::bmm(query, memory.keys.transpose(1, 2));
    return attend_with(scores, memory, weighing_, is_training());
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
