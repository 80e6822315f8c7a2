#include "engine/transformer.h"

#include <algorithm>
#include <string>

#include "engine/transformer_decoder.h"
#include "model/transformer/names.h"
#include "model/transformer/transformer.h"

namespace heed::engine {
namespace {

constexpr int64_t kUsualLength = 1024;

namespace names = model::names;
using model::AttentionKind;

class TransformerMaker {
 public:
  TransformerMaker(const Weights& weights, const model::ModelConfig& config, WeightFormat numbers)
      : weights_(weights), config_(config), numbers_(numbers) {}

  StackWeights side(bool decoder, const StackPositionsPtr& positions) const {
    StackWeights side;
    side.embedding = embedding_of(config_, weights_, decoder);
    side.positions = positions;
    const int64_t known = std::min(kUsualLength, positions->longest());
    side.vectors = positions->vectors(0, known);
    side.rotations = positions->rotations(0, known);
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
    return {weights_.at(name + ".weight").copy(), weights_.at(name + ".bias").copy()};
  }
  /// The rows [first, first + count) of a layer, -1: to the end.
  Linear linear(const std::string& name, int64_t first = 0, int64_t count = -1) const {
    return make_linear(weights_.at(name + ".weight"), &weights_.at(name + ".bias"), numbers_, first,
                       count);
  }

  const Weights& weights_;
  const model::ModelConfig& config_;
  WeightFormat numbers_;
};

class Transformer : public Network {
 public:
  explicit Transformer(TransformerWeights weights) : weights_(std::move(weights)) {}

  std::unique_ptr<BatchDecoder> start(const SourceBatch& source,
                                      const Threads& threads) const override {
    return std::make_unique<TransformerDecoder>(weights_, source, threads);
  }

 private:
  TransformerWeights weights_;
};

}  // namespace

std::unique_ptr<Network> make_transformer(
    const model::ModelConfig& config, const Weights& weights,
    const std::pair<StackPositionsPtr, StackPositionsPtr>& positions, WeightFormat numbers) {
  const TransformerMaker maker(weights, config, numbers);
  return std::make_unique<Transformer>(
      TransformerWeights{config, maker.side(false, positions.first),
                         maker.side(true, positions.second), output_of(config, weights, numbers)});
}

}  // namespace heed::engine
