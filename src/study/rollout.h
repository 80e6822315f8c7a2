// Attention rollout (Abnar and Zuidema 2020): what the words that come in weigh in the states of
// the last layer, if every layer passes on half of what it has and half of what it looks at.
//
//   encoder  R(0) = I,  R(l) = (1/2 I + 1/2 E(l)) R(l-1)
//   decoder  U(0) = 0,  U'(l) = (1/2 I + 1/2 D(l)) U(l-1)
//                       U(l) = 1/2 U'(l) + 1/2 C(l) R
//
// Columns are of the source, and so are the rows of R; those of U are of the target. E, D, C: the
// mean over heads of encoder, decoder and cross-attention of layer l; R: that of the encoder's last
// layer. A row of U is the share of the source in the state that emits a target piece; what is left
// of 1 is the target so far. Knows nothing of LibTorch.
#pragma once

#include <span>

#include "study/attention_matrix.h"

namespace heed::study {

/// Of one sentence's matrices of all kinds, layers and heads (the mean over heads left out): kind
/// rollout, rows scaled to sum to 1. Throws UserError where there is no encoder or decoder
/// attention, as of recurrent models.
AttentionMatrix rollout(std::span<const AttentionMatrix> heads);

}  // namespace heed::study
