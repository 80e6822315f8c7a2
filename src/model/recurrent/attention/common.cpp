#include "model/recurrent/attention/common.h"

#include <ATen/ATen.h>

#include <cstdint>
#include <limits>
#include <utility>

#include "base/error.h"
#include "kernels/normalisers/normaliser.h"
#include "kernels/tensor.h"
#include "model/description/config.h"

namespace heed::model {

Encoded make_encoded(const Tensor& values, const Tensor& valid, const Tensor& summary) {
  const Tensor wide = kernels::widened(values);
  return {wide, valid, summary,
          at::zeros({valid.size(0), 1, valid.size(1)}, wide.options())
              .masked_fill_(valid.logical_not().unsqueeze(1),
                            -std::numeric_limits<double>::infinity())};
}

Prepared Attention::prepare(const Encoded& encoded) {
  const kernels::WithoutAutocast guard;
  return project(encoded);
}

Prepared Attention::begin(Prepared memory) {
  const kernels::WithoutAutocast guard;
  memory.cache = share(memory);
  return memory;
}

Attended Attention::forward(StepInput step, const Prepared& memory) {
  const kernels::WithoutAutocast guard;
  const auto type = step.query.scalar_type();
  step.query = kernels::widened(step.query);
  Attended attended = attend(step, memory);
  attended.context = attended.context.to(type);
  return attended;
}

Attended attend_with(const Tensor& scores, const StepInput& step, const Prepared& memory,
                     const Weighing& weighing, bool training) {
  expect(kernels::is_softmax(weighing.normalise) || !step.logs, "a weight of 0 has no logarithm");
  const Tensor biased = scores + memory.bias;
  Tensor weights = weighing.normalise(biased);  // [sentences, query, source]
  if (step.exchange) weights = step.exchange(weights, step.head);
  const Tensor used = drop(weights, weighing.dropout, training);
  // Not log(weights): a weight that is 0 in fp32 has a logarithm, and a gradient.
  return {at::bmm(used, memory.values), weights,
          step.logs ? at::log_softmax(biased, -1) : Tensor()};
}

AttentionPtr make_attention(const ModelConfig& config) {
  const AttentionMaker make = attention_maker(config.attention);
  const auto one = [&](const AttentionSize& size) {
    AttentionPtr scores = config.window == Window::global
                              ? make(size)
                              : make_local(make, size, config.window, config.window_size);
    if (config.coverage == Coverage::none) return scores;
    return make_covered(std::move(scores), size, config.coverage, config.coverage_size);
  };
  const int64_t hidden = config.hidden_size;
  const AttentionSize size{
      .query = hidden,
      .memory = hidden,
      .hidden = hidden,
      .weighing = {kernels::normaliser(config.attention_normaliser), config.attention_dropout},
      .positions = config.max_positions};
  return config.attention_heads == 1 ? one(size)
                                     : make_side_by_side(one, size, config.attention_heads);
}

}  // namespace heed::model
