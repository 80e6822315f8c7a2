#include "model/transformer/transformer.h"

#include <ATen/ATen.h>
#include <torch/nn/modules/normalization.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kernels/attention.h"
#include "kernels/normalisers/normaliser.h"
#include "kernels/product.h"
#include "kernels/rows/pattern.h"
#include "kernels/tensor.h"
#include "kernels/varlen_attention.h"
#include "model/description/begin.h"
#include "model/description/config.h"
#include "model/description/kinds.h"
#include "model/embedding.h"
#include "model/model.h"
#include "model/pointer.h"
#include "model/source.h"
#include "model/state.h"
#include "model/trace.h"
#include "model/transformer/beam_caches.h"
#include "model/transformer/blocks.h"
#include "model/transformer/multi_head.h"
#include "model/transformer/positions/positions.h"
#include "model/transformer/sentences.h"
#include "text/vocabulary.h"

namespace heed::model {
namespace {

/// Hands out a tensor for the weights of each layer, and adds them to the trace.
class Tracer {
 public:
  Tracer(Trace* trace, AttentionKind kind)
      : trace_(trace && trace->kinds.contains(kind) ? trace : nullptr), kind_(kind) {}

  /// Returns the tensor to which the next layer is to write its weights; null where nobody wants
  /// them.
  Tensor* output() {
    weights_ = Tensor();
    return trace_ ? &weights_ : nullptr;
  }
  void keep(std::size_t layer) {
    if (trace_)
      trace_->maps.push_back(
          {.kind = kind_, .layer = static_cast<int64_t>(layer), .weights = weights_});
  }

 private:
  Trace* trace_;
  AttentionKind kind_;
  Tensor weights_;
};

kernels::Pattern pattern_of(const ModelConfig& config) {
  return {.window = config.sliding_window,
          .global = config.global_tokens,
          .stride = config.attention_stride};
}

/// The options of a layer's block; `self` is the kind of its self-attention, encoder or decoder.
BlockOptions block_options(const ModelConfig& config, AttentionKind self, int64_t layer) {
  return {.feed_forward = config.feed_forward,
          .norm = config.norm,
          .norm_epsilon = config.norm_epsilon,
          .activation = config.activation,
          .dropout = config.dropout,
          .activation_dropout = config.activation_dropout,
          .decoder = config.decoder,
          .self = attention_options(config, self, layer),
          .cross = self == AttentionKind::decoder
                       ? attention_options(config, AttentionKind::cross, layer)
                       : MultiHeadOptions()};
}

PositionsPtr positions_of(const ModelConfig& config, bool decoder) {
  return make_positions(positions_of_side(config, decoder),
                        {.width = config.width,
                         .heads = config.heads,
                         .layers = decoder ? config.decoder_layers : config.encoder_layers,
                         .longest = config.max_positions,
                         .causal = decoder});
}

/// A stack of blocks; with pre-norm a layer norm follows the last one, and with `embedding_norm`
/// one is before the first.
template <class Block>
class Stack : public torch::nn::Module {
 public:
  Stack(const ModelConfig& config, AttentionKind kind, int64_t layers,
        const PositionsPtr& positions) {
    for (int64_t layer = 0; layer < layers; ++layer)
      blocks_.push_back(register_module(
          std::to_string(layer),
          std::make_shared<Block>(block_options(config, kind, layer),
                                  LayerIndex{.positions = positions, .layer = layer})));
    if (config.norm == Norm::pre)
      norm_ = register_module(names::kNorm, make_layer_norm(config.width, config.norm_epsilon));
    if (config.embedding_norm)
      embedding_norm_ = register_module(names::kEmbeddingNorm,
                                        make_layer_norm(config.width, config.norm_epsilon));
  }
  /// From word vectors with their positions: what dropout and the first block get. It stays fp32,
  /// as all that residuals are added to.
  Tensor begin(const Tensor& x) { return embedding_norm_ ? embedding_norm_(x) : x; }
  Tensor finish(const Tensor& x) { return norm_ ? layer_norm(norm_, x) : x; }

  const std::vector<std::shared_ptr<Block>>& blocks() const { return blocks_; }

 private:
  std::vector<std::shared_ptr<Block>> blocks_;
  torch::nn::LayerNorm norm_{nullptr}, embedding_norm_{nullptr};
};

class Transformer : public Model {
 public:
  Transformer(const ModelConfig& config, const VocabularySizes& vocabulary);

  Tensor features(const Source& source, const TargetInput& input, Trace* trace) override;
  Tensor logits(const Tensor& features) override { return tokens_.output->forward(features); }
  OutputWeights output() override { return {tokens_.output->weight(), tokens_.output->bias()}; }
  State start(const Source& source, Trace* trace) override;
  Tensor step(const Tensor& tokens, State& state, Trace* trace) override;
  int64_t longest() const override { return source_positions_->longest(); }
  StateSize state_size() const override;
  bool attends() const override { return true; }
  bool takes_unpadded(const at::Device& device) const override;
  const ModelConfig& config() const { return config_; }

 private:
  Tensor target_vectors(const Tensor& tokens);
  Tensor embed(bool target, const Tensor& tokens, const SentenceLayout& sentences,
               Trace* trace = nullptr);
  const SelfAttentionInfo& kind() const { return self_attention_info(config_.self_attention); }
  /// Whether the decoder's layers keep keys and values of all steps.
  bool caches_steps() const {
    return config_.decoder == DecoderKind::attention && kind().has_scores();
  }
  bool can_unpad(const Tensor& tokens) const;
  Tensor encode(const Source& source, const SentenceLayout& sentences, Trace* trace);
  BeamStep begin_step(State& state, int64_t beam, const Trace* trace) const;
  Tensor step_blocks(Tensor x, State& state, Trace* trace);

  ModelConfig config_;
  TokenLayers tokens_;
  PositionsPtr source_positions_, target_positions_;
  std::shared_ptr<Stack<EncoderBlock>> encoder_;
  std::shared_ptr<Stack<DecoderBlock>> decoder_;
};

Transformer::Transformer(const ModelConfig& config, const VocabularySizes& vocabulary)
    : config_(config),
      tokens_(add_token_layers(*this, config, vocabulary, config.width,
                               std::sqrt(static_cast<double>(config.width)))),
      source_positions_(register_module(names::kSourcePositions, positions_of(config, false))),
      target_positions_(register_module(names::kTargetPositions, positions_of(config, true))),
      encoder_(register_module(names::kEncoder, std::make_shared<Stack<EncoderBlock>>(
                                                    config, AttentionKind::encoder,
                                                    config.encoder_layers, source_positions_))),
      decoder_(register_module(names::kDecoder, std::make_shared<Stack<DecoderBlock>>(
                                                    config, AttentionKind::decoder,
                                                    config.decoder_layers, target_positions_))) {}

/// tokens [...] of translations -> vectors [..., width].
Tensor Transformer::target_vectors(const Tensor& tokens) {
  const Tensor vectors = tokens_.target->forward(tokens);
  if (!begins_with_zeros(config_)) return vectors;
  return vectors.masked_fill(tokens.eq(text::kBegin).unsqueeze(-1), 0);
}

/// tokens [batch, length] of a side -> vectors in the layout `sentences`, with positions, norm and
/// dropout. `trace` is for padded sources.
Tensor Transformer::embed(bool target, const Tensor& tokens, const SentenceLayout& sentences,
                          Trace* trace) {
  const Positions& positions = target ? *target_positions_ : *source_positions_;
  const auto vectors = [&](const Tensor& all) {
    return target ? target_vectors(all) : tokens_.source->forward(all);
  };
  const Tensor x = sentences.unpadded()
                       ? positions.add_at(vectors(remove_padding(tokens, sentences)),
                                          sentences.positions, sentences.longest)
                       : positions.add(traced_vectors(vectors(tokens), trace), 0);
  return drop(target ? decoder_->begin(x) : encoder_->begin(x), config_.dropout, is_training());
}

/// Whether there are kernels for all attention of unpadded sentences, for tokens [batch, length]
/// such as these.
bool Transformer::can_unpad(const Tensor& tokens) const {
  if (!kind().has_scores()) return false;
  const at::ScalarType type = kernels::product_type(tokens_.target->weight());
  if (!tokens.is_cpu()) return takes_unpadded(tokens.device());
  return tokens.size(1) <= kernels::kLongestAttention && kernels::is_fp32_or_bf16(type) &&
         (config_.attention_dropout == 0 || !is_training());
}

bool Transformer::takes_unpadded(const at::Device& device) const {
  return positions_info(config_.positions).effect != PositionsEffect::kAddsScores &&
         kind().has_scores() && !pattern_of(config_).is_sparse() &&
         kernels::is_softmax(kernels::normaliser(config_.attention_normaliser)) &&
         kernels::has_varlen_attention(device,
                                       {.type = kernels::product_type(tokens_.target->weight()),
                                        .head = config_.width / config_.heads,
                                        .window = config_.sliding_window > 0});
}

Tensor Transformer::encode(const Source& source, const SentenceLayout& sentences, Trace* trace) {
  Tensor x = embed(/*target=*/false, source.tokens, sentences, trace);
  Tracer tracer(trace, AttentionKind::encoder);
  for (std::size_t layer = 0; layer < encoder_->blocks().size(); ++layer) {
    x = encoder_->blocks()[layer]->forward(x, sentences, tracer.output());
    tracer.keep(layer);
  }
  return encoder_->finish(x);
}

Tensor Transformer::features(const Source& source, const TargetInput& input, Trace* trace) {
  const bool looked_into = trace && (!trace->kinds.empty() || trace->vectors || trace->exchange);
  const bool has_lengths = input.tokens.is_cpu() || input.lengths.defined() || input.unpadded;
  const bool unpadded =
      !looked_into && has_lengths && can_unpad(source.tokens) && can_unpad(input.tokens);
  const SentenceLayout sources = unpadded ? unpadded_source(source) : padded_source(source);
  const SentenceLayout targets = unpadded ? unpadded_target(input) : SentenceLayout{};
  const Tensor memory = encode(source, sources, trace);
  Tensor x = embed(/*target=*/true, input.tokens, targets);
  Tracer self(trace, AttentionKind::decoder), cross(trace, AttentionKind::cross);
  Guided* const guided = trace && trace->guided ? &*trace->guided : nullptr;
  for (std::size_t layer = 0; layer < decoder_->blocks().size(); ++layer) {
    DecoderBlock& block = *decoder_->blocks()[layer];
    const bool is_guided =
        guided && decoder_layer(config_, guided->layer) == static_cast<int64_t>(layer);
    std::function<Tensor(const Tensor&)> exchange;
    if (trace && trace->exchange)
      exchange = [trace, layer](const Tensor& weights) {
        return trace->exchange(weights, static_cast<int64_t>(layer), 0);
      };
    x = block.forward(x, {.memory = block.project(memory),
                          .sentences = {targets, sources},
                          .self_weights = self.output(),
                          .cross_weights = cross.output(),
                          .guided = is_guided ? guided : nullptr,
                          .exchange = exchange});
    if (block.self_attention()) self.keep(layer);
    cross.keep(layer);
  }
  const Tensor features = decoder_->finish(x);
  return unpadded ? pad(features, targets) : features;
}

State Transformer::start(const Source& source, Trace* trace) {
  const SentenceLayout sentences = padded_source(source);
  // On a CPU translations are searched by engine::BatchDecoder, and this is its twin.
  const bool unpads = !trace && !source.tokens.is_cpu() && can_unpad(source.tokens);
  const SentenceLayout sources = unpads ? unpadded_source(source) : sentences;
  const Tensor encoded = encode(source, sources, trace);
  const Tensor memory = unpads ? pad(encoded, sources) : encoded;
  std::vector<Tensor> heads;
  std::size_t carried = 0;
  for (const auto& block : decoder_->blocks()) {
    const KeysValues projected = block->project(memory);
    heads.insert(heads.end(), {projected.keys, projected.values});
    carried += block->carried();
  }
  State state = start_beams(heads, sentences.valid);
  if (carried > 0) state.carried.resize(carried);
  return state;
}

Tensor Transformer::step(const Tensor& tokens, State& state, Trace* trace) {
  expect(tokens.dim() == 2, "tokens [sentences, beam]");
  const Tensor embedded =
      target_positions_->add_step(target_vectors(tokens.unsqueeze(-1).flatten(0, 1)), state);
  const Tensor x = drop(decoder_->begin(embedded), config_.dropout, is_training())
                       .view({tokens.size(0), tokens.size(1), -1});  // [sentences, beam, width]
  const Tensor out = step_blocks(x, state, trace);
  ++state.position;
  return logits(decoder_->finish(out));
}

BeamStep Transformer::begin_step(State& state, int64_t beam, const Trace* trace) const {
  BeamStepOptions options{.head = config_.width / config_.heads};
  for (const auto& block : decoder_->blocks())
    options.heads.push_back(2 * block->self_attention()->kv_heads());
  const SelfAttention& first = *decoder_->blocks()[0]->self_attention();
  options.group = first.heads() / first.kv_heads();
  options.pattern = pattern_of(config_);
  options.wants_steps = (trace && trace->kinds.contains(AttentionKind::decoder)) ||
                        positions_info(config_.positions).effect == PositionsEffect::kAddsScores;
  return model::begin_step(state, beam, options);
}

Tensor Transformer::step_blocks(Tensor x, State& state, Trace* trace) {
  const int64_t beam = x.size(1);
  const BeamStep now =
      caches_steps() ? begin_step(state, beam, trace) : BeamStep{.position = state.position};
  const Tensor padding = hidden_padding(state);
  Tracer self(trace, AttentionKind::decoder), cross(trace, AttentionKind::cross);
  int64_t step_heads = 0, source_heads = 0;  // of the layers before
  std::span<Tensor> left(state.carried);     // of the layers that are left
  for (std::size_t layer = 0; layer < decoder_->blocks().size(); ++layer) {
    DecoderBlock& block = *decoder_->blocks()[layer];
    const int64_t of_steps = caches_steps() ? 2 * block.self_attention()->kv_heads() : 0,
                  of_source = 2 * block.cross_attention().kv_heads();
    const std::size_t carried = block.carried();
    expect(carried <= left.size(), "a state of this model");
    x = block.step(
        x, now,
        {.steps = of_steps > 0 ? cached_steps(state, step_heads, of_steps) : HeadsOfLayer(),
         .source = cached_source(state, source_heads, of_source),
         .carried = left.first(carried),
         .padding = padding,
         .self_weights = self.output(),
         .cross_weights = cross.output()});
    left = left.subspan(carried);
    if (block.self_attention()) self.keep(layer);
    cross.keep(layer);
    step_heads += of_steps;
    source_heads += of_source;
  }
  state.beams.push_back(beam);
  return x;
}

/// Counts keys and values; the tensors of other mechanisms do not grow with a sentence.
StateSize Transformer::state_size() const {
  const int64_t head = config_.width / config_.heads;
  StateSize size;
  for (const auto& block : decoder_->blocks()) {
    size.source += 2 * block->cross_attention().kv_heads() * head;
    if (caches_steps()) size.hypothesis += 2 * block->self_attention()->kv_heads() * head;
  }
  return size;
}

}  // namespace

MultiHeadOptions attention_options(const ModelConfig& config, AttentionKind kind, int64_t layer) {
  MultiHeadOptions options{.width = config.width,
                           .heads = config.heads,
                           .kv_heads = config.kv_heads,
                           .scale = config.attention_scale,
                           .dropout = config.attention_dropout,
                           .kind = config.self_attention};
  if (!config.pruned_heads.empty()) options.kept = kept_heads(config, kind, layer);
  if (kind == AttentionKind::cross) {
    options.normalise = kernels::normaliser(config.attention_normaliser);
  } else {
    options.pattern = pattern_of(config);
    options.pattern.causal = kind == AttentionKind::decoder;
  }
  return options;
}

ModelPtr make_transformer(const ModelConfig& config, const VocabularySizes& vocabulary) {
  return std::make_shared<Transformer>(config, vocabulary);
}

const ModelConfig* transformer_config(const Model& model) {
  const auto* transformer = dynamic_cast<const Transformer*>(&model);
  return transformer ? &transformer->config() : nullptr;
}

}  // namespace heed::model
