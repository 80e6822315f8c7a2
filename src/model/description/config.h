// The `model` section of a configuration.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/attention_kind.h"
#include "config/schema.h"

namespace heed::model {

using config::AttentionKind;

HEED_ENUM(ModelType, (rnn, "Recurrent encoder and decoder (Bahdanau et al. 2015)."),
          (transformer, "Attention and feed-forward layers alone (Vaswani et al. 2017)."))
HEED_ENUM(Cell, (gru, "Gated recurrent unit (Cho et al. 2014)."),
          (lstm, "Long short-term memory (Hochreiter and Schmidhuber 1997)."))
HEED_ENUM(Window, (global, "All source positions."),
          (local_m, "Those around t, at target position t (Luong et al. 2015, 3.2)."),
          (local_p, "Those around a predicted position, with a Gaussian (Luong et al. 2015, 3.2)."))
HEED_ENUM(Readout, (linear, "tanh(W x), x the state, the last word and the context."),
          (maxout, "The larger of each two numbers of W x (Bahdanau et al. 2015, A.2.2)."))
HEED_ENUM(Coverage, (none, "Scores do not depend on earlier attention."),
          (linguistic, "They see the sum of a piece's earlier weights, divided by its fertility."),
          (neural, "They see a small recurrent state of each piece."))
HEED_ENUM(Norm, (pre, "Before each sublayer: trains without a long warm-up."),
          (post, "After each sublayer and its residual, as in the paper."))
HEED_ENUM(DecoderKind, (attention, "Self-attention over all earlier words, as in the paper."),
          (ssru,
           "A simpler recurrent unit, one step of which costs the same however long the "
           "translation is (Kim et al. 2019)."),
          (average,
           "The mean of all earlier words, through feed-forward layers and gates, at the same cost "
           "(Zhang et al. 2018)."))
HEED_ENUM(AttentionScale, (sqrt, "The square root of the head's width, as in the paper."),
          (none, "1, for comparison."))
HEED_ENUM(Activation, (relu, "max(0, x)."), (gelu, "x P(X < x), X of the normal distribution."),
          (silu, "x / (1 + exp(-x))."))
HEED_ENUM(Tie, (none, "None."), (decoder, "The target embedding."), (all, "Both embeddings."))

/// The rnn attentions of model/recurrent/attention/registry.def, `none` first.
const std::vector<std::string>& attention_names();
const std::vector<std::string>& attention_helps();  // a sentence on each

/// The kinds of positions of model/transformer/positions/registry.def, `sinusoidal` first.
const std::vector<std::string>& position_names();
const std::vector<std::string>& position_helps();

/// The kinds of self-attention of model/transformer/attention/registry.def, `softmax` first.
const std::vector<std::string>& self_attention_names();
const std::vector<std::string>& self_attention_helps();

/// The normalisers of kernels/normalisers/registry.def, `softmax` first.
const std::vector<std::string>& normaliser_names();
const std::vector<std::string>& normaliser_helps();

/// The bounds of norm_epsilon.
inline constexpr double kLeastNormEpsilon = 1e-12, kMostNormEpsilon = 1e-3;

/// The options of the section. A new key needs a line in keys_by_network(), too.
struct ModelConfig {
  HEED_CONFIG(ModelConfig);
  HEED_FIXED(ModelType, type, ModelType::transformer, "Kind of network.")
  // rnn
  HEED_FIXED(Cell, cell, Cell::gru, "rnn: the recurrent cell.")
  HEED_FIXED(int64_t, embedding_size, 256, "rnn: width of the word vectors.",
             config::Between<int64_t>{1, 16384})
  HEED_FIXED(int64_t, hidden_size, 512,
             "rnn: width of the decoder's state; the bidirectional encoder has half of it in each "
             "direction.",
             config::Between<int64_t>{2, 16384})
  HEED_FIXED(int64_t, layers, 1, "rnn: recurrent layers on each side.",
             config::Between<int64_t>{1, 16})
  HEED_FIXED(std::string, attention, "bahdanau", "rnn: how the decoder reads the encoder.",
             config::OneOf{attention_names, attention_helps})
  HEED_FIXED(Window, window, Window::global,
             "rnn, luong_dot, luong_general and luong_concat: the source positions that a step "
             "attends to.")
  HEED_FIXED(int64_t, window_size, 10,
             "rnn: D, half the width of the local window in source positions.",
             config::Between<int64_t>{1, 10000})
  HEED_FIXED(bool, input_feeding, false,
             "rnn, luong_*: the attentional state of a step is an input of the next step. Slower.")
  HEED_FIXED(int64_t, attention_heads, 1,
             "rnn: attention heads, each with a slice of the states. hidden_size must be a "
             "multiple of it.",
             config::Between<int64_t>{1, 256})
  HEED_FIXED(
      Coverage, coverage, Coverage::none,
      "rnn: how scores depend on earlier attention to the same source piece (Tu et al. 2016).")
  HEED_FIXED(int64_t, coverage_size, 10, "coverage: neural: width of the state of a source piece.",
             config::Between<int64_t>{1, 1000})
  HEED_FIXED(Readout, readout, Readout::linear,
             "rnn: the layer below the output layer; maxout is for attention: bahdanau.")
  // transformer
  HEED_FIXED(int64_t, width, 512, "transformer: width of every layer's input and output.",
             config::Between<int64_t>{2, 16384})
  HEED_FIXED(int64_t, feed_forward, 2048, "transformer: inner width of the feed-forward layers.",
             config::Between<int64_t>{1, 131072})
  HEED_FIXED(int64_t, heads, 8, "transformer: attention heads. width must be a multiple of it.",
             config::Between<int64_t>{1, 256})
  HEED_FIXED(int64_t, kv_heads, 0,
             "transformer: heads of keys and values. 1 is multi-query attention, fewer than heads "
             "is grouped-query attention, 0 means as many as heads.",
             config::Between<int64_t>{0, 256})
  HEED_FIXED(std::vector<std::string>, pruned_heads, {},
             "transformer: heads that `heed prune` removed, for example encoder.0.2, decoder.0.3 "
             "or cross.2.1 (NETWORK.LAYER.HEAD).")
  HEED_FIXED(int64_t, encoder_layers, 6, "transformer: encoder blocks.",
             config::Between<int64_t>{1, 64})
  HEED_FIXED(int64_t, decoder_layers, 6, "transformer: decoder blocks.",
             config::Between<int64_t>{1, 64})
  HEED_FIXED(DecoderKind, decoder, DecoderKind::attention,
             "transformer: how a position of the decoder knows the earlier ones. With ssru and "
             "average, self_attention and positions inside attention are the encoder's alone.")
  HEED_FIXED(Norm, norm, Norm::pre, "transformer: where the layer norms are.")
  HEED_FIXED(double, norm_epsilon, 1e-5,
             "transformer: what a layer norm adds to a variance, before it divides by the root.",
             config::Between<double>{kLeastNormEpsilon, kMostNormEpsilon})
  HEED_FIXED(bool, embedding_norm, false,
             "transformer: a layer norm on the sum of word vector and position, on each side.")
  HEED_FIXED(std::string, positions, "sinusoidal",
             "transformer: how it represents the order of words.",
             config::OneOf{position_names, position_helps})
  HEED_FIXED(int64_t, max_positions, 1024,
             "Longest sentence in pieces, </s> included, that a transformer with positions: "
             "learned can take, and "
             "the number of source positions that attention: luong_location can attend to.",
             config::Between<int64_t>{1, 1000000})
  HEED_FIXED(int64_t, sliding_window, 0,
             "transformer: self-attention sees this many positions to each side. 0: all.",
             config::Between<int64_t>{0, 1000000})
  HEED_FIXED(std::string, self_attention, "softmax",
             "transformer: kind of self-attention. softmax: all positions; linear: all positions, "
             "at a cost that grows with the length and not with its square; sparse: those of "
             "sliding_window, global_tokens and attention_stride.",
             config::OneOf{self_attention_names, self_attention_helps})
  HEED_FIXED(
      int64_t, global_tokens, 0,
      "self_attention: sparse: this many first positions see all positions and are seen by all.",
      config::Between<int64_t>{0, 1000000})
  HEED_FIXED(int64_t, attention_stride, 0,
             "self_attention: sparse: positions at a multiple of this distance are seen. 0: none.",
             config::Between<int64_t>{0, 1000000})
  HEED_FIXED(AttentionScale, attention_scale, AttentionScale::sqrt,
             "transformer: what scores are divided by.")
  HEED_FIXED(Activation, activation, Activation::relu,
             "transformer: function between the two feed-forward layers.")
  // both
  HEED_FIXED(
      double, dropout, 0.1,
      "Share of activations set to zero while training: embeddings, sublayer outputs, read-out.",
      config::Between<double>{0.0, 0.9})
  HEED_FIXED(std::string, attention_normaliser, "softmax",
             "Function that turns the decoder's scores of source words into weights. With "
             "sparsemax and entmax15 many weights are exactly 0.",
             config::OneOf{normaliser_names, normaliser_helps})
  HEED_FIXED(double, attention_dropout, 0.0,
             "Share of attention weights set to zero while training.",
             config::Between<double>{0.0, 0.9})
  HEED_FIXED(double, activation_dropout, 0.0,
             "transformer: share of inner feed-forward activations set to zero while training.",
             config::Between<double>{0.0, 0.9})
  HEED_FIXED(double, word_dropout, 0.0,
             "Share of whole word vectors set to zero while training, on both sides.",
             config::Between<double>{0.0, 0.9})
  HEED_FIXED(Tie, tie, Tie::none, "Embeddings that share their weights with the output layer.")
};

/// The network that a key of the section belongs to, and what it sets: `rnn`, `transformer` and
/// `both` are for the weights, their sizes or the computation with them; `..._sight` is for what a
/// position may see.
enum class KeyOf { rnn, transformer, both, rnn_sight, transformer_sight, dropout };

/// Returns all keys of the section with the networks that use them.
const std::map<std::string_view, KeyOf>& keys_by_network();

/// Whether `key`, a key of the section, says something about the weights of `config`'s network: two
/// networks that differ in no such key have weights of the same shapes and meaning.
bool is_of_network(std::string_view key, const ModelConfig& config);

/// Whether a network of `config` with given weights computes something else where `key` has another
/// value: those of is_of_network() do, and those that say what a position may see. Dropout does
/// not, since it is for training alone.
bool changes_result(std::string_view key, const ModelConfig& config);

/// The keys of the other kind of network that set what `key` does in its own: "encoder_layers and
/// decoder_layers" for layers; "" where none does.
std::string keys_of_other_network(std::string_view key);

/// The number of pieces of each side's vocabulary.
struct VocabularySizes {
  int64_t source = 0, target = 0;
};

/// The number, from 0, of a Transformer's decoder layer: a negative `layer` counts from the last
/// layer, but not beyond the first.
int64_t decoder_layer(const ModelConfig& config, int64_t layer);

/// The kind of positions of a Transformer's side: a decoder without self-attention has only those
/// that are added to embeddings, else none.
std::string positions_of_side(const ModelConfig& config, bool decoder);

/// The heads that are left in an attention of a Transformer, in their order.
std::vector<int64_t> kept_heads(const ModelConfig& config, AttentionKind kind, int64_t layer);

/// The index of a head among those that are left; nothing where it was pruned.
std::optional<int64_t> index_among(const std::vector<int64_t>& kept, int64_t head);

/// Rules between fields (heads divide the width, a window needs a luong attention, ...). Throws
/// ConfigError. `shares_pieces`: whether both sides have the same pieces under the same ids, which
/// `tie: all` needs.
void check(const ModelConfig& config, bool shares_pieces);

// The names of modules, by which a model's weights are found (named_weights()). Code that registers
// modules and code that reads weights from a file both use them.

/// Modules of every model: the output layer, and the embedding of a side.
inline constexpr const char* kOutputModule = "output";

inline const char* embedding_module(Tie tie, bool target) {
  if (tie == Tie::all) return "embedding";
  return target ? "target_embedding" : "source_embedding";
}

}  // namespace heed::model

/// Names of a Transformer's modules.
namespace heed::model::names {

// Modules of the model.
inline constexpr const char *kEncoder = "encoder", *kDecoder = "decoder";
inline constexpr const char *kSourcePositions = "source_positions",
                            *kTargetPositions = "target_positions";
// Modules of a layer: its sublayers, and the residual connections around them.
inline constexpr const char *kAttention = "attention", *kSelfAttention = "self_attention",
                            *kCrossAttention = "cross_attention", *kRecurrence = "recurrence",
                            *kFeedForward = "feed_forward";
inline constexpr const char *kAroundAttention = "around_attention", *kAroundSelf = "around_self",
                            *kAroundCross = "around_cross",
                            *kAroundFeedForward = "around_feed_forward";
// Modules of these sublayers and residual connections. kProjection makes queries, keys and values;
// in cross-attention, keys and values alone.
inline constexpr const char *kNorm = "norm", *kQuery = "query", *kProjection = "projection",
                            *kInner = "inner", *kOutput = "output", *kCandidate = "candidate",
                            *kForget = "forget", *kGates = "gates";
// A module of encoder and decoder, beside their layers and the norm after the last one.
inline constexpr const char* kEmbeddingNorm = "embedding_norm";

inline std::string within(const std::string& module, const char* part) {
  return module + "." + part;
}

/// "encoder", "decoder"
inline std::string stack(bool decoder) {
  return decoder ? kDecoder : kEncoder;
}

/// "encoder.0"
inline std::string layer(bool decoder, int64_t number) {
  return stack(decoder) + "." + std::to_string(number);
}

/// "encoder.0.attention"
inline std::string attention(AttentionKind kind, int64_t number) {
  if (kind == AttentionKind::encoder) return within(layer(false, number), kAttention);
  return within(layer(true, number),
                kind == AttentionKind::decoder ? kSelfAttention : kCrossAttention);
}

/// "encoder.embedding_norm"
inline std::string embedding_norm(bool decoder) {
  return within(stack(decoder), kEmbeddingNorm);
}

/// "decoder.0.recurrence"
inline std::string recurrence(int64_t number) {
  return within(layer(true, number), kRecurrence);
}

/// "encoder.0.around_attention.norm"
inline std::string norm_of_attention(AttentionKind kind, int64_t number) {
  const bool decoder = kind != AttentionKind::encoder;
  const char* around = !decoder                         ? kAroundAttention
                       : kind == AttentionKind::decoder ? kAroundSelf
                                                        : kAroundCross;
  return within(within(layer(decoder, number), around), kNorm);
}

/// "encoder.0.feed_forward"
inline std::string feed_forward(bool decoder, int64_t number) {
  return within(layer(decoder, number), kFeedForward);
}

/// "encoder.0.around_feed_forward.norm"
inline std::string norm_of_feed_forward(bool decoder, int64_t number) {
  return within(within(layer(decoder, number), kAroundFeedForward), kNorm);
}

}  // namespace heed::model::names
