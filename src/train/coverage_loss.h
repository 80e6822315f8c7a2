// The loss of looking at the same source piece again (See, Liu and Manning 2017, equation 12; added
// to the usual loss as in equation 13).
//
//   loss += weight * sum over t, i of min(a(t, i), sum of a(t', i) over t' < t)
#pragma once

#include "data/batch.h"
#include "kernels/tensor.h"

namespace heed::train {

/// The sum over the real target positions of a batch: [] double, with a gradient. `logs` [batch or
/// more, target, source] as in model::Guided.
at::Tensor coverage_loss(const at::Tensor& logs, const data::Batch& batch);

}  // namespace heed::train
