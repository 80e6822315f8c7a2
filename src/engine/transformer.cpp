#include "engine/transformer.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <string>

#include "model/embedding.h"
#include "model/traits.h"
#include "model/transformer/names.h"
#include "model/transformer/transformer.h"
#include "model/weights.h"

namespace heed::engine {
namespace {

constexpr int64_t kUsualLength = 1024;

namespace names = model::names;
using model::AttentionKind;
using Weights = std::map<std::string, Tensor>;

PositionRows rows_of(const Tensor& table) {
  if (!table.defined()) return {};
  const Tensor real = table.is_complex() ? at::view_as_real(table).flatten(1) : table;
  return {numbers_of(real), real.size(1)};
}

class Packer {
 public:
  Packer(model::Model& model, const Weights& weights, const model::ModelConfig& config,
         WeightFormat numbers)
      : model_(model), weights_(weights), config_(config), numbers_(numbers) {}

  StackWeights side(bool decoder) const {
    StackWeights side;
    side.embedding =
        weights_.at(names::within(model::embedding_module(config_.tie, decoder), "weight"));
    side.positions = model::transformer_positions(model_, decoder);
    const int64_t known = std::min(kUsualLength, side.positions->longest());
    side.vectors = rows_of(side.positions->vectors(0, known));
    side.rotations = rows_of(side.positions->rotations(0, known));
    const int64_t layers = decoder ? config_.decoder_layers : config_.encoder_layers;
    for (int64_t layer = 0; layer < layers; ++layer) {
      const std::string feed_forward = names::feed_forward(decoder, layer);
      LayerWeights block;
      block.self = attention(decoder ? AttentionKind::decoder : AttentionKind::encoder, layer);
      if (decoder) block.cross = attention(AttentionKind::cross, layer);
      block.norm = norm(names::norm_of_feed_forward(decoder, layer));
      block.inner = linear(names::within(feed_forward, names::kInner));
      block.outer = linear(names::within(feed_forward, names::kOutput));
      side.blocks.push_back(std::move(block));
    }
    if (config_.norm == model::Norm::pre)
      side.norm = norm(names::within(names::stack(decoder), names::kNorm));
    return side;
  }

  Linear output() const {
    const model::OutputWeights output = model_.output();
    return make_engine(output.weight, output.bias);
  }

 private:
  AttentionWeights attention(AttentionKind kind, int64_t layer) const {
    const std::string own = names::attention(kind, layer);
    const std::string projection = names::within(own, names::kProjection);
    AttentionWeights attention;
    attention.norm = norm(names::norm_of_attention(kind, layer));
    const auto options = model::attention_options(config_, kind, layer);
    attention.shape = {.heads = options.count(),
                       .kv_heads = options.kv(),
                       .head = options.head(),
                       .scale = static_cast<float>(options.factor())};
    attention.kept = options.kept;
    attention.pattern = options.pattern;
    const int64_t inner = options.inner();
    const bool cross = kind == AttentionKind::cross;
    attention.query =
        cross ? linear(names::within(own, names::kQuery)) : linear(projection, 0, inner);
    attention.keys_values = linear(projection, cross ? 0 : inner);
    attention.output = linear(names::within(own, names::kOutput));
    return attention;
  }
  LayerNorm norm(const std::string& name) const {
    return {numbers_of(weights_.at(name + ".weight")), numbers_of(weights_.at(name + ".bias"))};
  }
  /// The rows [first, first + count) of a layer, -1: to the end.
  Linear linear(const std::string& name, int64_t first = 0, int64_t count = -1) const {
    const Tensor &weight = weights_.at(name + ".weight"), &bias = weights_.at(name + ".bias");
    if (count < 0) count = weight.size(0) - first;
    return make_engine(weight.narrow(0, first, count), bias.narrow(0, first, count));
  }
  Linear make_engine(const Tensor& weight, const Tensor& bias) const {
    return {{numbers_of(weight).data(), weight.size(0), weight.size(1), numbers_},
            numbers_of(bias)};
  }

  model::Model& model_;
  const Weights& weights_;
  const model::ModelConfig& config_;
  WeightFormat numbers_;
};

}  // namespace

std::vector<float> numbers_of(const Tensor& tensor) {
  if (!tensor.defined()) return {};
  const Tensor dense = tensor.detach().to(at::kFloat).contiguous();
  const float* data = dense.const_data_ptr<float>();
  return {data, data + dense.numel()};
}

Transformer::Transformer(model::ModelPtr inner, const model::ModelConfig& config,
                         WeightFormat numbers)
    : config_(config), inner_(register_module("inner", std::move(inner))), numbers_(numbers) {
  const Weights weights = model::named_weights(*inner_);
  const Packer packer(*inner_, weights, config_, numbers);
  encoder_ = packer.side(false);
  decoder_ = packer.side(true);
  output_ = packer.output();
  train(inner_->is_training());  // what holds this model asks it, and the inner one follows
}

std::shared_ptr<Transformer> make_engine(const model::ModelPtr& model, WeightFormat numbers) {
  const model::ModelConfig* config = model::transformer_config(*model);
  if (!config || !model::traits(*config).all_softmax) return nullptr;
  for (const Tensor& parameter : model->parameters())
    if (!parameter.is_cpu() || parameter.scalar_type() != at::kFloat) return nullptr;
  return std::make_shared<Transformer>(model, *config, numbers);
}

}  // namespace heed::engine
