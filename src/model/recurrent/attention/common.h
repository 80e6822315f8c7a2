// Functions that several attentions share, and mechanisms that contain others.
#pragma once

#include <cstdint>
#include <functional>

#include "model/description/config.h"
#include "model/embedding.h"
#include "model/recurrent/attention/attention.h"  // IWYU pragma: export

namespace heed::model {

/// a = softmax(scores) over the valid positions, or another normaliser that `weighing` names, c =
/// sum over i of a(i) h(i). scores [sentences, query, source]; padding gets a weight of exactly 0.
/// The dropout of the weights applies to the context alone, the weights that are returned are
/// whole.
Attended attend_with(const Tensor& scores, const StepInput& step, const Prepared& memory,
                     const Weighing& weighing, bool training);

/// The additive score, v . tanh(W s + U h(i)), that Bahdanau et al. and Luong et al. (as "concat")
/// share.
AttentionPtr make_additive(const AttentionSize& size);

/// A window around any Luong attention: that of `make` inside [p - D, p + D], D = `half_width`
/// source positions; `window` is local_m or local_p.
AttentionPtr make_local(AttentionMaker make, const AttentionSize& size, Window window,
                        int64_t half_width);

/// The mechanism `scores`, in which V C(t-1, i) is added to the key of position i. `width` is that
/// of C in the neural form; in the linguistic form C is one number.
AttentionPtr make_covered(AttentionPtr scores, const AttentionSize& size, Coverage form,
                          int64_t width);

/// `heads` mechanisms, each made for a `heads`-th of `size`. Throws Bug unless it divides the
/// widths.
AttentionPtr make_side_by_side(const std::function<AttentionPtr(const AttentionSize&)>& make,
                               const AttentionSize& size, int64_t heads);

}  // namespace heed::model
