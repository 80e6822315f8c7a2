#include "engine/transformer.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/transformer_decoder.h"
#include "model/description/kinds.h"
#include "model/description/names.h"

namespace heed::engine {
namespace {

constexpr int64_t kUsualLength = 1024;

namespace names = model::names;
using model::AttentionKind;

class TransformerMaker {
 public:
  TransformerMaker(const Weights& weights, const model::ModelConfig& config, WeightFormat numbers)
      : weights_(weights), config_(config), numbers_(numbers) {}

  StackWeights side(bool decoder) const {
    StackWeights side{.embedding = embedding_of(config_, weights_, decoder),
                      .positions = {config_, weights_, decoder}};
    const int64_t known = std::min(kUsualLength, side.positions.longest());
    side.vectors = side.positions.vectors(0, known);
    side.rotations = side.positions.rotations(0, known);
    const int64_t layers = decoder ? config_.decoder_layers : config_.encoder_layers;
    for (int64_t layer = 0; layer < layers; ++layer) {
      const std::string feed_forward = names::feed_forward(decoder, layer);
      LayerWeights block;
      block.self = attention(decoder ? AttentionKind::decoder : AttentionKind::encoder, layer);
      if (decoder) block.cross = attention(AttentionKind::cross, layer);
      block.norm = norm(names::norm_of_feed_forward(decoder, layer));
      const int64_t inner = config_.feed_forward;
      block.inner = linear(names::within(feed_forward, names::kInner), inner, config_.width);
      block.outer = linear(names::within(feed_forward, names::kOutput), config_.width, inner);
      side.blocks.push_back(std::move(block));
    }
    if (config_.norm == model::Norm::pre)
      side.norm = norm(names::within(names::stack(decoder), names::kNorm));
    return side;
  }

 private:
  AttentionWeights attention(AttentionKind kind, int64_t layer) const {
    const std::string own = names::attention(kind, layer);
    const std::string projection = names::within(own, names::kProjection);
    AttentionWeights attention;
    attention.norm = norm(names::norm_of_attention(kind, layer));
    attention.kept = model::kept_heads(config_, kind, layer);
    const int64_t heads = std::ssize(attention.kept), head = config_.width / config_.heads;
    const bool shares = config_.kv_heads > 0 && config_.kv_heads < config_.heads;
    const bool scales = config_.attention_scale == model::AttentionScale::sqrt;
    attention.shape = {
        .heads = heads,
        .kv_heads = shares ? config_.kv_heads : heads,
        .head = head,
        .scale = scales ? static_cast<float>(1 / std::sqrt(static_cast<double>(head))) : 1};
    const int64_t inner = attention.shape.inner();
    const bool cross = kind == AttentionKind::cross;
    if (!cross)
      attention.pattern = {.window = config_.sliding_window,
                           .causal = kind == AttentionKind::decoder};
    const int64_t width = config_.width, both = 2 * attention.shape.shared();
    attention.query = cross ? linear(names::within(own, names::kQuery), inner, width)
                            : linear(projection, inner + both, width, 0, inner);
    attention.keys_values =
        cross ? linear(projection, both, width) : linear(projection, inner + both, width, inner);
    attention.output = linear(names::within(own, names::kOutput), width, inner);
    return attention;
  }
  LayerNorm norm(const std::string& name) const {
    return {weights_.at(name + ".weight", {config_.width}).copy(),
            weights_.at(name + ".bias", {config_.width}).copy()};
  }
  /// The rows [first, first + count) of a layer [columns, inner], -1: to the end.
  Linear linear(const std::string& name, int64_t columns, int64_t inner, int64_t first = 0,
                int64_t count = -1) const {
    return make_linear(weights_.at(name + ".weight", {columns, inner}),
                       &weights_.at(name + ".bias", {columns}), numbers_, first, count);
  }

  const Weights& weights_;
  const model::ModelConfig& config_;
  WeightFormat numbers_;
};

class Transformer : public Network {
 public:
  explicit Transformer(TransformerWeights weights) : weights_(std::move(weights)) {}

  std::unique_ptr<BatchDecoder> start(const SourceBatch& source, const Threads& threads,
                                      AttentionMaps* maps) const override {
    return std::make_unique<TransformerDecoder>(weights_, source, threads, maps);
  }

 private:
  TransformerWeights weights_;
};

}  // namespace

bool has_transformer(const model::ModelConfig& config) {
  return config.attention_normaliser == "softmax" && has_positions(config.positions) &&
         model::self_attention_info(config.self_attention).is_plain();
}

std::unique_ptr<Network> make_transformer(const model::ModelConfig& config, const Weights& weights,
                                          WeightFormat numbers) {
  const TransformerMaker maker(weights, config, numbers);
  return std::make_unique<Transformer>(TransformerWeights{
      config, maker.side(false), maker.side(true), output_of(config, weights, numbers)});
}

}  // namespace heed::engine
