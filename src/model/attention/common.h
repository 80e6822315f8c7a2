// What every attention ends with, and the additive score that two of them share.
#pragma once

#include "model/attention/attention.h"

namespace heed::model {

/// a = softmax(scores) over the valid positions, c = sum over i of a(i) h(i).
/// scores [sentences, query, source]; padding gets a weight of exactly 0. `dropout` of the weights
/// applies to the context alone, the weights that are returned are whole.
Attended attend_with(const Tensor& scores, const Memory& memory, double dropout, bool training);

/// v tanh(q(t) + k(i)): query [sentences, query, hidden], keys [sentences, source, hidden], v
/// [hidden] -> [sentences, query, source]. Nothing of the size query x source x hidden is kept for
/// the gradient: the backward pass computes tanh once more.
Tensor additive_scores(const Tensor& query, const Tensor& keys, const Tensor& v);

/// Xavier-uniform [rows, columns] (Glorot and Bengio 2010).
Tensor xavier(int64_t rows, int64_t columns);

}  // namespace heed::model
