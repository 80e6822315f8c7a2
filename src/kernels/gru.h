// A GRU over packed sequences in one piece: the recurrent products of all steps write into one
// tensor each way, so that the weights' gradient is a single product and a step makes no node of
// its own. CPU, fp32 and bf16 products with fp32 states. The readable twin is RecurrentCell.
#pragma once

#include "kernels/recurrence.h"
#include "kernels/tensor.h"

namespace heed::kernels {

/// gates [places, 3 * hidden] (the input's part of r, z, n with its bias), hidden_weight [3 *
/// hidden, hidden], hidden_bias [3 * hidden], initial [rows[0], hidden] fp32 -> every state
/// [places, hidden] fp32. `backward` runs each sequence from its last step to its first. Gates of
/// bf16 make bf16 products.
Tensor gru_sequence(const Tensor& gates, const Packing& packing, const Tensor& hidden_weight,
                    const Tensor& hidden_bias, const Tensor& initial, bool backward);

/// One step behind its products: gates and recurrent [rows, 3 * hidden], before [rows, hidden] fp32
/// -> the next state [rows, hidden] fp32.
Tensor gru_step(const Tensor& gates, const Tensor& recurrent, const Tensor& before);

}  // namespace heed::kernels
