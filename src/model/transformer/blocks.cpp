#include "model/transformer/blocks.h"

#include <ATen/ATen.h>

#include "base/error.h"
#include "kernels/product.h"
#include "model/embedding.h"
#include "model/transformer/layers.h"

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

MultiHeadOptions causal_options(const BlockOptions& block) {
  MultiHeadOptions options = block.attention;
  options.pattern.causal = true;
  return options;
}

MultiHeadOptions cross_options(const BlockOptions& block) {
  MultiHeadOptions options = block.attention;
  options.pattern = {};
  options.normalise = block.cross_normalise;
  options.kept = block.cross_kept;
  return options;
}

}  // namespace

FeedForward::FeedForward(const BlockOptions& options)
    : activation_(options.activation),
      dropout_(options.activation_dropout),
      inner_(register_module("inner",
                             xavier_linear(options.attention.width, {options.feed_forward}, true))),
      output_(register_module(
          "output", xavier_linear(options.feed_forward, {options.attention.width}, true))) {}

Tensor FeedForward::forward(const Tensor& x) {
  const Tensor inner = activate(activation_, linear(*inner_, x));
  return linear(*output_, drop(inner, dropout_, is_training()));
}

Residual::Residual(const BlockOptions& options)
    : pre_(options.norm == Norm::pre),
      dropout_(options.dropout),
      norm_(register_module(
          "norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({options.attention.width})))) {}

EncoderBlock::EncoderBlock(const BlockOptions& options, const Place& place)
    : attention_(
          register_module("attention", std::make_shared<SelfAttention>(options.attention, place))),
      around_attention_(register_module("around_attention", std::make_shared<Residual>(options))),
      feed_forward_(register_module("feed_forward", std::make_shared<FeedForward>(options))),
      around_feed_forward_(
          register_module("around_feed_forward", std::make_shared<Residual>(options))) {}

Stream EncoderBlock::forward(const Stream& x, const Sentences& sentences, Tensor* weights) {
  const Stream seen = around_attention_->around(
      x, [&](const Tensor& y) { return attention_->forward(y, sentences, weights); });
  return around_feed_forward_->around(seen,
                                      [&](const Tensor& y) { return feed_forward_->forward(y); });
}

DecoderBlock::DecoderBlock(const BlockOptions& options, const Place& place)
    : self_attention_(register_module(
          "self_attention", std::make_shared<SelfAttention>(causal_options(options), place))),
      around_self_(register_module("around_self", std::make_shared<Residual>(options))),
      cross_attention_(register_module("cross_attention",
                                       std::make_shared<CrossAttention>(cross_options(options)))),
      around_cross_(register_module("around_cross", std::make_shared<Residual>(options))),
      feed_forward_(register_module("feed_forward", std::make_shared<FeedForward>(options))),
      around_feed_forward_(
          register_module("around_feed_forward", std::make_shared<Residual>(options))) {}

Stream DecoderBlock::forward(const Stream& x, const View& view) {
  const Stream seen = around_self_->around(x, [&](const Tensor& y) {
    return self_attention_->forward(y, view.sentences.queries, view.self_weights);
  });
  return after_self_attention(seen, view);
}

Stream DecoderBlock::step(const Stream& x, std::span<Tensor> state, int64_t position,
                          const View& view) {
  const Stream seen = around_self_->around(x, [&](const Tensor& y) {
    return self_attention_->step(y, state, position, view.self_weights);
  });
  return after_self_attention(seen, view);
}

Stream DecoderBlock::step(const Stream& x, const BeamStep& now, const BeamView& view) {
  const Stream seen = around_self_->around(x, [&](const Tensor& y) {
    return self_attention_->step(y, view.steps, now, view.self_weights);
  });
  const Stream read = around_cross_->around(seen, [&](const Tensor& y) {
    return cross_attention_->step(y, view.source, view.padding, view.cross_weights);
  });
  return around_feed_forward_->around(read,
                                      [&](const Tensor& y) { return feed_forward_->forward(y); });
}

Stream DecoderBlock::after_self_attention(const Stream& x, const View& view) {
  const Stream read = around_cross_->around(x, [&](const Tensor& y) {
    return cross_attention_->forward(y, view.memory, view.sentences, view.cross_weights,
                                     view.guided, view.exchange);
  });
  return around_feed_forward_->around(read,
                                      [&](const Tensor& y) { return feed_forward_->forward(y); });
}

}  // namespace heed::model
