// Several attentions of one kind side by side, each with a slice of the states: multi-head
// attention (Vaswani et al. 2017, 3.2.2) around the score of any recurrent model.
#pragma once

#include <functional>

#include "model/recurrent/attention/attention.h"

namespace heed::model {

/// `heads` mechanisms, each made for a `heads`-th of `size`. Throws Bug unless it divides the
/// widths.
AttentionPtr make_side_by_side(const std::function<AttentionPtr(const AttentionSize&)>& make,
                               const AttentionSize& size, int64_t heads);

}  // namespace heed::model
