// The additive score, v . tanh(W s + U h(i)), that Bahdanau et al. and Luong et al. (as "concat")
// share.
#pragma once

#include "model/recurrent/attention/attention.h"

namespace heed::model {

AttentionPtr make_additive(const AttentionSize& size);

/// v . tanh(q + k(i)) for every query and position: query [sentences, query, hidden], keys
/// [sentences, source, hidden], v [hidden] -> [sentences, query, source]. Nothing of the size query
/// x source x hidden is kept for the gradient: the backward pass computes tanh once more.
Tensor additive_scores(const Tensor& query, const Tensor& keys, const Tensor& v);

}  // namespace heed::model
