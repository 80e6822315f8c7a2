// What every attention begins and ends with.
#pragma once

#include "model/initial.h"
#include "model/recurrent/attention/attention.h"

namespace heed::model {

/// For the steps of a decoder: values in the type that products with them are computed in, so that
/// autocast does not convert them at every step. Where a gradient is wanted they stay as they are,
/// since it adds up over the steps in their type.
Memory ready_for_products(Memory memory);

/// a = softmax(scores) over the valid positions, c = sum over i of a(i) h(i).
/// scores [sentences, query, source]; padding gets a weight of exactly 0. `dropout` of the weights
/// applies to the context alone, the weights that are returned are whole.
Attended attend_with(const Tensor& scores, const Memory& memory, double dropout, bool training);

}  // namespace heed::model
