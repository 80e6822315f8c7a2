#include "train/coverage_loss.h"

#include <ATen/ATen.h>

#include "base/error.h"
#include "model/device.h"
#include "train/loss.h"

namespace heed::train {

at::Tensor coverage_loss(const at::Tensor& logs, const data::Batch& batch) {
  expect(logs.defined(), "a model that attends");
  const at::Tensor weights = logs.narrow(0, 0, batch.size).exp().to(at::kDouble);
  const at::Tensor before = weights.cumsum(1) - weights;
  const at::Tensor again = at::minimum(weights, before).sum(-1);  // [batch, target]
  const at::Tensor lengths = model::upload_numbers(batch.target_lengths, logs.device());
  const at::Tensor real =
      at::arange(logs.size(1), lengths.options()).unsqueeze(0) < lengths.unsqueeze(1);
  return again.masked_fill(real.logical_not(), 0).sum();
}

at::Tensor cover_loss(const LossInput& input) {
  return coverage_loss(input.attention, input.batch);
}

}  // namespace heed::train
