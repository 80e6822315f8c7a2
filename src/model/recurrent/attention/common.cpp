#include "model/recurrent/attention/common.h"

#include <ATen/ATen.h>

#include <limits>
#include <utility>

#include "base/error.h"
#include "model/embedding.h"

namespace heed::model {

Memory make_memory(const Tensor& values, const Tensor& valid, const Tensor& summary) {
  Memory memory{.values = kernels::widened(values),
                .keys = {},
                .valid = valid,
                .summary = summary,
                .bias = {}};
  memory.bias =
      at::zeros({valid.size(0), 1, valid.size(1)}, memory.values.options())
          .masked_fill_(valid.logical_not().unsqueeze(1), -std::numeric_limits<double>::infinity());
  return memory;
}

Memory Attention::prepare(Memory memory) {
  const kernels::WithoutAutocast guard;
  return project(std::move(memory));
}

Memory Attention::begin(Memory memory) {
  const kernels::WithoutAutocast guard;
  return share(std::move(memory));
}

Attended Attention::forward(const Tensor& query, const Memory& memory, int64_t position,
                            int64_t stride) {
  const kernels::WithoutAutocast guard;
  Attended attended = attend(kernels::widened(query), memory, position, stride);
  attended.context = attended.context.to(query.scalar_type());
  return attended;
}

Attended attend_with(const Tensor& scores, const Memory& memory, const Weighing& weighing,
                     bool training) {
  expect(kernels::is_softmax(weighing.normalise) || !memory.logs, "a weight of 0 has no logarithm");
  const Tensor biased = scores + memory.bias;
  Tensor weights = weighing.normalise(biased);  // [sentences, query, source]
  if (memory.exchange) weights = memory.exchange(weights, memory.head);
  const Tensor used = drop(weights, weighing.dropout, training);
  // Not log(weights): a weight that is 0 in fp32 has a logarithm, and a gradient.
  return {at::bmm(used, memory.values), weights,
          memory.logs ? at::log_softmax(biased, -1) : Tensor()};
}

}  // namespace heed::model
