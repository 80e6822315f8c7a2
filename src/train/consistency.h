// Consistency training: each sentence pair is predicted twice, and the predictions have to agree.
//
//   rdrop (Liang et al. 2021, eq. 4, halved so that a learning rate means the same as without):
//     1/2 (H(q, p) + H(q, p')) + weight/4 (KL(p || p') + KL(p' || p))
//     p and p' differ by their dropout.
//   simcut (Gao et al. 2022, eq. 7):
//     H(q, p) + weight KL(p || p')
//     p' sees a pair of whose tokens a share has no vector, on both sides.
//
// H is the cross entropy with the label-smoothed target q. The gradient flows into p and p'.
#pragma once

#include "base/random.h"
#include "data/batch.h"
#include "kernels/rows/loss.h"
#include "train/config.h"

namespace heed::train {

/// The terms' weights. Not for `none`.
kernels::PairWeights pair_weights(const TrainConfig& config);

/// Each sentence pair twice, the second ones behind the first: [2 size]. With simcut each token of
/// the second ones, eos and bos included, is model::kCut with probability consistency_share.
data::Batch both_of(const data::Batch& batch, const TrainConfig& config, Random& random);

}  // namespace heed::train
