// e(t,i) = v . tanh(W [s(t); h(i)])
// Luong, Pham and Manning 2015, section 3.1, "concat". W [s; h] = W_s s + W_h h, so with W kept in
// two parts it is the additive score. kAfter in registry.def says that the query is s(t).
#include "model/recurrent/attention/common.h"

namespace heed::model {

AttentionPtr make_luong_concat(const AttentionSize& size) {
  return make_additive(size);
}

}  // namespace heed::model
