// Guided alignment: attention that is taught where to look, by word links (Chen et al. 2016 for
// recurrent models; Garg et al. 2019 for one head of one layer of a Transformer).
//
//   loss += weight * -sum over t, j of A(t, j) log a(t, j)
//
// a(t, j): the weight of source piece j at the decoder's step t, the one that predicts target piece
// t, or with guided_step: reads at step t + 1, which has target piece t as its input. A(t, j): 1 /
// n for each of the n source pieces that target piece t is linked to. A piece without links adds
// nothing, and neither does </s>.
#pragma once

#include "data/batch.h"
#include "kernels/tensor.h"
#include "train/config.h"

namespace heed::train {

/// The sum over the target pieces of a batch that has links: [] double, with a gradient. `logs`
/// [batch or more, target, source] as in model::Guided.
at::Tensor guided_loss(const at::Tensor& logs, const data::Batch& batch, GuidedStep step);

}  // namespace heed::train
