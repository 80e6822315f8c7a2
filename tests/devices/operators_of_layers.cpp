// Layers between attention and loss. Dropout draws other numbers on each device: its distribution
// is compared, and the judge says what that has to be.
#include <torch/nn/modules/normalization.h>

#include <cmath>

#include "devices/inputs.h"
#include "kernels/dropout.h"
#include "kernels/varlen_attention.h"
#include "model/device.h"
#include "model/embedding.h"
#include "model/model.h"
#include "model/transformer/attention/scaled_dot_product.h"
#include "model/transformer/blocks.h"

namespace heed::devices {
namespace {

Values layer_norm(const DevicePrecision& on) {
  torch::nn::LayerNorm norm(torch::nn::LayerNormOptions({33}));
  settle(*norm, on);
  Numbers numbers(on);
  const Tensor x = numbers.leaf({5, 7, 33});
  Tensors leaves = parameters_of(*norm);
  leaves["x"] = x;
  return with_gradients(on, leaves, [&]() -> Tensors {
    return {{"y", model::layer_norm(norm, x)}};
  });
}

Values embedding(const DevicePrecision& on) {
  at::manual_seed(3);
  model::Embedding layer(13, 10, 2.5, 0);
  settle(layer, on);
  const Tensor tokens = put(on, at::tensor({4, 7, 4, 12, 0, 4, 1, 7, 9}, at::kLong).view({3, 3}));
  Tensor cut = tokens.clone();
  cut.select(1, 1).fill_(model::kCut);
  return with_gradients(on, parameters_of(layer), [&]() -> Tensors {
    return {{"vectors", layer.forward(tokens)}, {"cut", layer.forward(cut)}};
  });
}

Operator feed_forward(model::Activation activation) {
  const auto compute = [activation](const DevicePrecision& on) {
    at::manual_seed(3);
    model::BlockOptions options{.feed_forward = 24, .activation = activation};
    options.self.width = 16;
    model::FeedForward layer(options);
    settle(layer, on);
    Numbers numbers(on);
    const Tensor x = numbers.leaf({5, 7, 16});
    Tensors leaves = parameters_of(layer);
    leaves["x"] = x;
    return with_gradients(on, leaves, [&]() -> Tensors { return {{"y", layer.forward(x)}}; });
  };
  // Rounding moves numbers across 0, where the gradient of relu jumps.
  const Bounds bounds = activation == model::Activation::relu ? kInFp32 : Bounds{};
  return {"feed_forward." + config::name_of(activation), compute, bounds};
}

/// Three sentences, with padding and without, and two steps.
Operator recurrence(model::DecoderKind kind) {
  const auto compute = [kind](const DevicePrecision& on) {
    at::manual_seed(3);
    const model::RecurrencePtr layer =
        model::make_recurrence({.feed_forward = 24, .decoder = kind, .self = {.width = 16}});
    settle(*layer, on);
    Numbers numbers(on);
    const Tensor x = numbers.leaf({3, 7, 16});
    Tensors leaves = parameters_of(*layer);
    leaves["x"] = x;
    return with_gradients(on, leaves, [&]() -> Tensors {
      const auto unpadded = model::sentence_layout({3, 7, 5}, 7, on.device);
      Tensor state;
      return {{"y", layer->forward(x, {})},
              {"unpadded", layer->forward(remove_padding(x, unpadded), unpadded)},
              {"step 0", layer->step(x.narrow(1, 0, 1), state, 0)},
              {"step 1", layer->step(x.narrow(1, 1, 1), state, 1)}};
    });
  };
  return {"recurrence." + config::name_of(kind), compute, kInFp32};  // max(0, .), as above
}

constexpr double kShare = 0.3;
constexpr int64_t kMany = 1 << 18;

/// 2^18 draws: what is kept varies by 0.13 % of itself, the bounds are 8 times as large.
constexpr Bounds kDrawn{.fp32 = 1e-2, .tf32 = 0, .bf16 = 1e-2, .fp16 = 1e-2};

Tensor number(double value) {
  return at::scalar_tensor(value, at::kDouble);
}

Tensor share_of(const Tensor& places) {
  return places.to(at::kDouble).mean();
}

/// Alone, or as a sum with what is not 0.
Tensor dropped(const Tensor& x, const Tensor& residual, bool is_sum) {
  return is_sum ? model::add_dropped(residual, x, kShare, true) - residual
                : model::drop(x, kShare, true);
}

Operator dropout(const std::string& name, bool is_sum) {
  const auto compute = [is_sum](const DevicePrecision& on) {
    if (on.is_judge())
      return values_of({{"kept", number(1 - kShare)},
                        {"least", number(1 / (1 - kShare))},
                        {"most", number(1 / (1 - kShare))},
                        {"mean", number(1)},
                        {"gradients as results", number(1)},
                        {"same seed", number(1)},
                        {"other seed", number(kShare * kShare + (1 - kShare) * (1 - kShare))}});
    const Tensor x = put(on, at::ones({64, kMany / 64})).requires_grad_();
    const Tensor residual = at::full_like(x, 0.5).to(on.narrow());
    const auto drawn = [&](uint64_t seed) {
      const kernels::Draws draws(seed, on.device);
      return dropped(x.to(on.narrow()), residual, is_sum);
    };
    const Tensor y = drawn(5), same = drawn(5), other = drawn(6);
    y.sum().backward();
    const Tensor kept = y.gt(0), seen = y.masked_select(kept);
    return values_of({{"kept", share_of(kept)},
                      {"least", seen.min()},
                      {"most", seen.max()},
                      {"mean", y.to(at::kDouble).mean()},
                      {"gradients as results", share_of(x.grad().gt(0).eq(kept))},
                      {"same seed", share_of(same.gt(0).eq(kept))},
                      {"other seed", share_of(other.gt(0).eq(kept))}});
  };
  return {"dropout." + name, compute, kDrawn};
}

/// Whole vectors: 4,096 of them, which vary by 1 %.
Values word_dropout(const DevicePrecision& on) {
  if (on.is_judge())
    return values_of({{"kept", number(1 - kShare)},
                      {"least", number(1 / (1 - kShare))},
                      {"most", number(1 / (1 - kShare))},
                      {"gradient", number(1)}});
  model::Embedding layer(3, 8, 1, kShare);
  {
    const at::NoGradGuard no_grad;
    layer.weight().fill_(1);
  }
  layer.to(on.device);
  const kernels::Draws draws(5, on.device);
  const Tensor vectors = layer.forward(put(on, at::zeros({4096}, at::kLong)));
  vectors.sum().backward();
  const Tensor kept = vectors.gt(0), seen = vectors.masked_select(kept);
  return values_of({{"kept", share_of(kept.all(-1))},
                    {"least", seen.min()},
                    {"most", seen.max()},
                    {"gradient", layer.weight().grad().sum() / vectors.sum()}});
}

/// Dropout of attention weights. Where values are 1 a context is the sum of the weights that are
/// kept: 1 on the average. All sums together are what the values' gradients are, if the same
/// weights are dropped there. `unpadded`: by the kernels for sentences without padding, where there
/// are any.
Operator attention_dropout(const std::string& name, bool unpadded) {
  constexpr int64_t kSentences = 32, kLength = 64, kHeads = 4, kHead = 16;
  const auto compute = [unpadded](const DevicePrecision& on) {
    if (on.is_judge())
      return values_of({{"mean", number(1)}, {"gradient", number(1)}, {"spread", number(1)}});
    const Tensor ones = put(on, at::ones({kSentences, kLength, kHeads, kHead}));
    const Tensor values = ones.clone().requires_grad_(), v = values.to(on.narrow());
    const Tensor zeros = at::zeros_like(v).detach();
    const kernels::Draws draws(5, on.device);
    Tensor context;
    if (unpadded && kernels::has_varlen_attention(on.device, {on.narrow(), kHead})) {
      const auto starts = at::arange(kSentences + 1, at::kInt) * kLength;
      const kernels::VarlenSentences sentences{put(on, starts), kLength};
      context = kernels::varlen_attention(zeros.flatten(0, 1), zeros.flatten(0, 1), v.flatten(0, 1),
                                          sentences, sentences, {.dropout = kShare});
    } else {
      const auto by_head = [](const Tensor& x) { return x.transpose(1, 2); };
      context = model::attend(by_head(zeros), by_head(zeros), by_head(v), {.dropout = kShare});
    }
    context = context.to(at::kDouble);
    context.sum().backward();
    // Sums of 64 weights that are 1 / (64 (1 - p)) or 0.
    const double spread = std::sqrt(kShare / (1 - kShare) / kLength);
    return values_of({{"mean", context.mean()},
                      {"gradient", values.grad().to(at::kDouble).sum() / context.sum()},
                      {"spread", context.select(-1, 0).std() / spread}});
  };
  return {"dropout." + name, compute, {.fp32 = 4e-2, .tf32 = 0, .bf16 = 4e-2, .fp16 = 4e-2}};
}

}  // namespace

std::vector<Operator> layer_operators() {
  std::vector<Operator> all{
      {"layer_norm", layer_norm},
      {"embedding", embedding, kInFp32},
      dropout("alone", false),
      dropout("with_residual", true),
      {"dropout.word", word_dropout, {.fp32 = 4e-2, .tf32 = 0, .bf16 = 0, .fp16 = 0}},
      attention_dropout("attention", false),
      attention_dropout("unpadded_attention", true)};
  for (const auto activation :
       {model::Activation::relu, model::Activation::gelu, model::Activation::silu})
    all.push_back(feed_forward(activation));
  for (const auto kind : {model::DecoderKind::ssru, model::DecoderKind::average})
    all.push_back(recurrence(kind));
  return all;
}

}  // namespace heed::devices
