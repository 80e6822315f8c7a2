#include "packed/transformer.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.h"
#include "model/transformer/transformer.h"
#include "model/weights.h"

namespace heed::packed {
namespace {

constexpr int64_t kUsualLength = 1024;

using Weights = std::map<std::string, Tensor>;

Rows rows_of(const Tensor& table) {
  if (!table.defined()) return {};
  const Tensor real = table.is_complex() ? at::view_as_real(table).flatten(1) : table;
  return {numbers_of(real), real.size(1)};
}

class Packer {
 public:
  Packer(const model::Model& model, const Weights& weights, const model::ModelConfig& config,
         Numbers numbers)
      : model_(model), weights_(weights), config_(config), numbers_(numbers) {}

  Side side(bool decoder) const {
    const std::string name = decoder ? "decoder" : "encoder";
    Side side;
    side.embedding = weights_.at(embedding(decoder));
    side.positions = model::transformer_positions(model_, decoder);
    const int64_t known = std::min(kUsualLength, side.positions->longest());
    side.vectors = rows_of(side.positions->vectors(0, known));
    side.rotations = rows_of(side.positions->rotations(0, known));
    const int64_t layers = decoder ? config_.decoder_layers : config_.encoder_layers;
    for (int64_t layer = 0; layer < layers; ++layer) {
      const std::string own = name + "." + std::to_string(layer) + ".";
      const std::string self = decoder ? "self_attention" : "attention";
      Block block;
      block.self = attention(name, layer, own + (decoder ? "around_self" : "around_attention"));
      const int64_t inner = block.self.shape.inner();
      block.self.query = linear(own + self + ".projection", 0, inner);
      block.self.keys_values = linear(own + self + ".projection", inner);
      block.self.output = linear(own + self + ".output");
      if (decoder) {
        block.cross = attention("cross", layer, own + "around_cross");
        block.cross.query = linear(own + "cross_attention.query");
        block.cross.keys_values = linear(own + "cross_attention.projection");
        block.cross.output = linear(own + "cross_attention.output");
      }
      block.norm = norm(own + "around_feed_forward.norm");
      block.inner = linear(own + "feed_forward.inner");
      block.outer = linear(own + "feed_forward.output");
      side.blocks.push_back(std::move(block));
    }
    if (config_.norm == model::Norm::pre) side.norm = norm(name + ".norm");
    return side;
  }

  Linear output() const {
    const std::string weight =
        config_.tie == model::Tie::none ? "output.weight" : embedding(/*decoder=*/true);
    return pack(weights_.at(weight), weights_.at("output.bias"));
  }

 private:
  std::string embedding(bool decoder) const {
    if (config_.tie == model::Tie::all) return "embedding.weight";
    return decoder ? "target_embedding.weight" : "source_embedding.weight";
  }
  /// Without its weights.
  Attention attention(const std::string& kind, int64_t layer, const std::string& around) const {
    const auto options = model::attention_options(config_, kind, layer);
    return {.norm = norm(around + ".norm"),
            .shape = {.heads = options.count(),
                      .kv_heads = options.kv(),
                      .head = options.head(),
                      .scale = static_cast<float>(options.factor())},
            .kept = options.kept,
            .pattern = options.pattern};
  }
  LayerNorm norm(const std::string& name) const {
    return {numbers_of(weights_.at(name + ".weight")), numbers_of(weights_.at(name + ".bias"))};
  }
  /// The rows [first, first + count) of a layer, -1: to the end.
  Linear linear(const std::string& name, int64_t first = 0, int64_t count = -1) const {
    const Tensor &weight = weights_.at(name + ".weight"), &bias = weights_.at(name + ".bias");
    if (count < 0) count = weight.size(0) - first;
    return pack(weight.narrow(0, first, count), bias.narrow(0, first, count));
  }
  Linear pack(const Tensor& weight, const Tensor& bias) const {
    return {{numbers_of(weight).data(), weight.size(0), weight.size(1), numbers_},
            numbers_of(bias)};
  }

  const model::Model& model_;
  const Weights& weights_;
  const model::ModelConfig& config_;
  Numbers numbers_;
};

}  // namespace

std::vector<float> numbers_of(const Tensor& tensor) {
  if (!tensor.defined()) return {};
  const Tensor dense = tensor.detach().to(at::kFloat).contiguous();
  const float* data = dense.const_data_ptr<float>();
  return {data, data + dense.numel()};
}

Transformer::Transformer(model::ModelPtr inner, const model::ModelConfig& config, Numbers numbers)
    : config_(config), inner_(register_module("inner", std::move(inner))), numbers_(numbers) {
  const Weights weights = model::named_weights(*inner_);
  const Packer packer(*inner_, weights, config_, numbers);
  encoder_ = packer.side(false);
  decoder_ = packer.side(true);
  output_ = packer.output();
  train(inner_->is_training());  // what holds this model asks it, and the inner one follows
}

std::shared_ptr<Transformer> pack(const model::ModelPtr& model, Numbers numbers) {
  const model::ModelConfig* config = model::transformer_config(*model);
  if (!config || !model::all_softmax(*config)) return nullptr;
  for (const Tensor& parameter : model->parameters())
    if (!parameter.is_cpu() || parameter.scalar_type() != at::kFloat) return nullptr;
  return std::make_shared<Transformer>(model, *config, numbers);
}

}  // namespace heed::packed
