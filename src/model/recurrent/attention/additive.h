// The additive score, v . tanh(W s + U h(i)), that Bahdanau et al. and Luong et al. (as "concat")
// share.
#pragma once

#include "model/recurrent/attention/attention.h"

namespace heed::model {

AttentionPtr make_additive(const AttentionSize& size);

}  // namespace heed::model
