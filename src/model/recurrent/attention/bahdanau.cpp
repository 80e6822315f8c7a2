// e(t,i) = v . tanh(W s(t-1) + U h(i))
// Bahdanau, Cho and Bengio 2015, appendix A.1.2 ("alignment model"). U h(i) does not depend on t:
// it is computed once per sentence. kBefore in registry.def says that the query is s(t-1).
#include "model/recurrent/attention/common.h"

namespace heed::model {

AttentionPtr make_bahdanau(const AttentionSize& size) {
  return make_additive(size);
}

}  // namespace heed::model
