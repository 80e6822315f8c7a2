#include "model/transformer/blocks.h"

#include <ATen/ATen.h>

#include <cmath>
#include <numeric>

#include "base/error.h"
#include "model/model.h"
#include "model/transformer/attention/attention.h"
#include "model/transformer/beam_caches.h"
#include "model/transformer/sentences.h"

namespace heed::model {
namespace {

Tensor activate(Activation activation, Tensor x) {
  switch (activation) {
    case Activation::relu:
      return x.relu_();  // x is a linear layer's fresh output, which nothing else needs
    case Activation::gelu:
      return at::gelu(x);
    case Activation::silu:
      return at::silu(x);
  }
  throw Bug("an activation without a function");
}

}  // namespace

LinearLayerPtr xavier_linear(int64_t in, const std::vector<int64_t>& outs, bool bias) {
  const int64_t stacked = std::accumulate(outs.begin(), outs.end(), int64_t{0});
  const at::NoGradGuard no_grad;
  if (WeightsBegin::now() != InitialWeights::drawn) {
    // LibTorch's layer cannot be made without drawing its weights.
    auto linear = std::make_shared<LinearLayer>(torch::nn::LinearOptions(1, 1).bias(bias));
    linear->options.in_features(in).out_features(stacked);
    // A weight cannot move to `meta`; one number that is repeated everywhere takes no memory.
    linear->weight.set_data(WeightsBegin::now() == InitialWeights::sizes_only
                                ? at::zeros({1, 1}).expand({stacked, in})
                                : at::empty({stacked, in}));
    if (bias) linear->bias.set_data(at::empty({stacked}));
    return linear;
  }
  auto linear = std::make_shared<LinearLayer>(torch::nn::LinearOptions(in, stacked).bias(bias));
  for (int64_t row = 0; const int64_t out : outs) {
    const double limit = std::sqrt(6.0 / static_cast<double>(in + out));
    linear->weight.narrow(0, row, out).uniform_(-limit, limit);
    row += out;
  }
  if (bias) linear->bias.zero_();
  return linear;
}

FeedForward::FeedForward(const BlockOptions& options)
    : activation_(options.activation),
      dropout_(options.activation_dropout),
      inner_(register_module(names::kInner,
                             xavier_linear(options.self.width, {options.feed_forward}, true))),
      output_(register_module(names::kOutput,
                              xavier_linear(options.feed_forward, {options.self.width}, true))) {}

Tensor FeedForward::forward(const Tensor& x) {
  const Tensor inner = activate(activation_, linear(*inner_, x));
  return linear(*output_, drop(inner, dropout_, is_training()));
}

Residual::Residual(const BlockOptions& options)
    : pre_(options.norm == Norm::pre),
      dropout_(options.dropout),
      norm_(register_module(names::kNorm,
                            make_layer_norm(options.self.width, options.norm_epsilon))) {}

EncoderBlock::EncoderBlock(const BlockOptions& options, const LayerIndex& index)
    : attention_(register_module(names::kAttention, make_self_attention(options.self, index))),
      around_attention_(
          register_module(names::kAroundAttention, std::make_shared<Residual>(options))),
      feed_forward_(register_module(names::kFeedForward, std::make_shared<FeedForward>(options))),
      around_feed_forward_(
          register_module(names::kAroundFeedForward, std::make_shared<Residual>(options))) {}

Tensor EncoderBlock::forward(const Tensor& x, const SentenceLayout& sentences, Tensor* weights) {
  const Tensor seen = around_attention_->around(
      x, [&](const Tensor& y) { return attention_->forward(y, sentences, weights); });
  return around_feed_forward_->around(seen,
                                      [&](const Tensor& y) { return feed_forward_->forward(y); });
}

DecoderBlock::DecoderBlock(const BlockOptions& options, const LayerIndex& index)
    : self_attention_(
          options.decoder == DecoderKind::attention
              ? register_module(names::kSelfAttention, make_self_attention(options.self, index))
              : nullptr),
      recurrence_(self_attention_ ? nullptr
                                  : register_module(names::kRecurrence, make_recurrence(options))),
      around_self_(register_module(names::kAroundSelf, std::make_shared<Residual>(options))),
      cross_attention_(
          register_module(names::kCrossAttention, std::make_shared<CrossAttention>(options.cross))),
      around_cross_(register_module(names::kAroundCross, std::make_shared<Residual>(options))),
      feed_forward_(register_module(names::kFeedForward, std::make_shared<FeedForward>(options))),
      around_feed_forward_(
          register_module(names::kAroundFeedForward, std::make_shared<Residual>(options))) {}

template <class Self, class Cross>
Tensor DecoderBlock::through(const Tensor& x, const Self& self, const Cross& cross) {
  const Tensor read = around_cross_->around(around_self_->around(x, self), cross);
  return around_feed_forward_->around(read,
                                      [&](const Tensor& y) { return feed_forward_->forward(y); });
}

Tensor DecoderBlock::forward(const Tensor& x, const View& view) {
  return through(
      x,
      [&](const Tensor& y) {
        const SentenceLayout& queries = view.sentences.queries;
        return recurrence_ ? recurrence_->forward(y, queries)
                           : self_attention_->forward(y, queries, view.self_weights);
      },
      [&](const Tensor& y) {
        return cross_attention_->forward(y, view.memory, view.sentences, view.cross_weights,
                                         view.guided, view.exchange);
      });
}

Tensor DecoderBlock::step(const Tensor& x, const BeamStep& now, const BeamView& view) {
  return through(
      x,
      [&](const Tensor& y) {
        if (recurrence_) return recurrence_->step(y, view.carried.front(), now.position);
        return view.carried.empty()
                   ? self_attention_->step(y, view.steps, now, view.self_weights)
                   : self_attention_->step(y, view.carried, now.position, view.self_weights);
      },
      [&](const Tensor& y) {
        return cross_attention_->step(y, view.source, view.padding, view.cross_weights);
      });
}

}  // namespace heed::model
