// What several attentions share.
#pragma once

#include "model/initial.h"
#include "model/recurrent/attention/attention.h"

namespace heed::model {

/// a = softmax(scores) over the valid positions, or what else `weighing` makes of them, c = sum
/// over i of a(i) h(i). scores [sentences, query, source]; padding gets a weight of exactly 0. The
/// dropout of the weights applies to the context alone, the weights that are returned are whole.
Attended attend_with(const Tensor& scores, const StepInput& step, const Prepared& memory,
                     const Weighing& weighing, bool training);

/// The additive score, v . tanh(W s + U h(i)), that Bahdanau et al. and Luong et al. (as "concat")
/// share.
AttentionPtr make_additive(const AttentionSize& size);

}  // namespace heed::model
