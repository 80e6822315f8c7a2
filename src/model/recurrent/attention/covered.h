// Coverage around any attention that looks at what the encoder says (Tu et al. 2016): the score
// knows how much of each source position was looked at before.
#pragma once

#include "model/recurrent/attention/attention.h"

namespace heed::model {

/// `scores` with V C(t-1, i) added to the key of position i. `width` is that of C in the neural
/// form; the linguistic one has a number.
AttentionPtr make_covered(AttentionPtr scores, const AttentionSize& size, Coverage form,
                          int64_t width);

}  // namespace heed::model
