// The loss of looking at the same source piece again (See, Liu and Manning 2017, equation 12; added
// to the usual loss as in equation 13).
//
//   loss += weight * sum over t, i of min(a(t, i), sum of a(t', i) over t' < t)
#include <ATen/ATen.h>

#include "base/error.h"
#include "data/batch.h"
#include "model/device.h"
#include "train/loss.h"

namespace heed::train {

Tensor cover_loss(const LossInput& input) {
  const Tensor& logs = input.attention;
  const data::Batch& batch = input.batch;
  expect(logs.defined(), "a model that attends");
  const Tensor weights = logs.narrow(0, 0, batch.size).exp().to(at::kDouble);
  const Tensor before = weights.cumsum(1) - weights;
  const Tensor again = at::minimum(weights, before).sum(-1);  // [batch, target]
  const Tensor lengths = model::upload_numbers(batch.target_lengths, logs.device());
  const Tensor real =
      at::arange(logs.size(1), lengths.options()).unsqueeze(0) < lengths.unsqueeze(1);
  return again.masked_fill(real.logical_not(), 0).sum();
}

}  // namespace heed::train
