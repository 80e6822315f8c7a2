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

#include <optional>

#include "data/batch.h"
#include "model/model.h"
#include "train/config.h"

namespace heed::train {

/// Whether the batch has a link and the loss a weight.
bool is_guided(const data::Batch& batch, const TrainConfig& config);

/// What the model is asked for; nothing where the batch is not guided and there is no
/// coverage_loss.
std::optional<model::Trace> guided_trace(const data::Batch& batch, const TrainConfig& config);

/// The sum over the target pieces of a batch that has links: [] double, with a gradient. `logs`
/// [batch or more, target, source] as in model::Guided.
at::Tensor guided_loss(const at::Tensor& logs, const data::Batch& batch, GuidedStep step);

}  // namespace heed::train
