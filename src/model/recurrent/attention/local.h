// A window around any Luong attention.
#pragma once

#include "model/recurrent/attention/attention.h"

namespace heed::model {

/// `kind` inside [p - D, p + D], D = `half_width` source positions; `window` is local_m or local_p.
AttentionPtr make_local(const AttentionKindInfo& kind, const AttentionSize& size, Window window,
                        int64_t half_width);

}  // namespace heed::model
