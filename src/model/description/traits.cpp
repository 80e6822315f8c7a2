#include "model/description/traits.h"

#include <utility>

#include "base/strings.h"
#include "config/attention_kind.h"
#include "config/schema.h"
#include "model/description/kinds.h"

namespace heed::model {
namespace {

Traits traits_of_transformer(const ModelConfig& config) {
  const bool softmax = config.attention_normaliser == "softmax";
  const bool average = config.decoder == DecoderKind::average;  // it has feed-forward layers, too
  Traits traits{
      .name = config::name_of(config.type),
      .network = config::name_of(config.type),
      .width = config.width,
      .width_key = "width",
      .has_self_attention = true,
      .has_dropout = config.dropout > 0 || config.word_dropout > 0 ||
                     config.attention_dropout > 0 || config.activation_dropout > 0,
      .activations = config.encoder_layers * (8 * config.width + 2 * config.feed_forward) +
                     config.decoder_layers * ((average ? 18 : 13) * config.width +
                                              (average ? 4 : 2) * config.feed_forward) +
                     (config.embedding_norm ? 6 : 4) * config.width,
      .kinds = {config::kAttentionKinds.begin(), config::kAttentionKinds.end()},
      .whole_heads = config.heads};
  if (config.decoder != DecoderKind::attention) std::erase(traits.kinds, AttentionKind::decoder);
  if (is_of_network("max_positions", config)) traits.longest = config.max_positions;
  for (const AttentionKind kind : traits.kinds) {
    if (kind == AttentionKind::cross ? softmax
                                     : self_attention_info(config.self_attention).has_scores())
      traits.softmax_kinds.push_back(kind);
    const int64_t layers =
        kind == AttentionKind::encoder ? config.encoder_layers : config.decoder_layers;
    for (int64_t layer = 0; layer < layers; ++layer)
      traits.heads_left[kind].push_back(std::ssize(kept_heads(config, kind, layer)));
  }
  return traits;
}

Traits traits_of_recurrent(const ModelConfig& config) {
  const bool attends = config.attention != "none";
  Traits traits{.name = config.attention,
                .network = config::name_of(config.type) + ", attention " + config.attention,
                .width = config.hidden_size,
                .width_key = "hidden_size",
                .has_dropout = config.dropout > 0 || config.word_dropout > 0 ||
                               (config.attention_dropout > 0 && attends),
                .window = config.window,
                .activations = config.layers * 14 * config.hidden_size + 15 * config.hidden_size +
                               6 * config.embedding_size,
                .whole_heads = config.attention_heads};
  if (!attends) return traits;
  traits.kinds = {AttentionKind::cross};
  // The window of local_p multiplies weights that softmax has made.
  if (config.attention_normaliser == "softmax" && config.window != Window::local_p)
    traits.softmax_kinds = traits.kinds;
  traits.heads_left[AttentionKind::cross] = {config.attention_heads};
  return traits;
}

using Phrases = std::vector<std::string>;

/// "sparse self-attention (window 8, stride 8)"; nothing for softmax over all positions.
Phrases phrase_of_self_attention(const ModelConfig& model) {
  const bool softmax = model.self_attention == "softmax";
  Phrases seen;
  if (model.sliding_window > 0) seen.push_back("window " + std::to_string(model.sliding_window));
  if (model.global_tokens > 0) seen.push_back(counted(model.global_tokens, "global token"));
  if (model.attention_stride > 0)
    seen.push_back("stride " + std::to_string(model.attention_stride));
  if (softmax && seen.empty()) return {};
  const std::string kind = softmax ? "" : model.self_attention + " ";
  return {kind + "self-attention" + (seen.empty() ? "" : " (" + join(seen, ", ") + ")")};
}

Phrases phrases_of_transformer(const ModelConfig& model) {
  const ModelConfig usual{};
  Phrases all = {"Transformer",
                 fmt::format("{}+{} layers", model.encoder_layers, model.decoder_layers),
                 "width " + std::to_string(model.width), counted(model.heads, "head")};
  if (model.kv_heads > 0 && model.kv_heads != model.heads)
    all.push_back(std::to_string(model.kv_heads) + " of keys and values");
  if (!model.pruned_heads.empty())
    all.push_back(counted(std::ssize(model.pruned_heads), "head") + " pruned");
  if (model.decoder != usual.decoder) all.push_back(config::name_of(model.decoder) + " decoder");
  for (std::string& phrase : phrase_of_self_attention(model)) all.push_back(std::move(phrase));
  if (model.attention_normaliser != usual.attention_normaliser)
    all.push_back(model.attention_normaliser + " in cross-attention");
  if (model.positions != usual.positions) all.push_back("positions " + model.positions);
  if (model.norm != usual.norm) all.push_back("norm " + config::name_of(model.norm));
  if (model.embedding_norm) all.emplace_back("norm of embeddings");
  if (model.attention_scale != usual.attention_scale) all.emplace_back("scores without a scale");
  if (model.activation != usual.activation) all.push_back(config::name_of(model.activation));
  return all;
}

Phrases phrases_of_recurrent(const ModelConfig& model) {
  const ModelConfig usual{};
  Phrases all = {std::string(model.cell == Cell::gru ? "GRU" : "LSTM") + " encoder-decoder"};
  if (model.layers != usual.layers) all.push_back(counted(model.layers, "layer"));
  all.push_back("width " + std::to_string(model.hidden_size));
  if (model.attention == "none") {
    all.emplace_back("no attention: the encoder's last states are all it sees");
    return all;
  }
  all.push_back("attention " + model.attention);
  if (model.attention_heads != usual.attention_heads)
    all.push_back(counted(model.attention_heads, "head"));
  if (model.window != usual.window)
    all.push_back(fmt::format("window {} of {}", config::name_of(model.window), model.window_size));
  if (model.input_feeding) all.emplace_back("input feeding");
  if (model.coverage != usual.coverage)
    all.push_back("coverage " + config::name_of(model.coverage));
  if (model.attention_normaliser != usual.attention_normaliser)
    all.push_back("weights by " + model.attention_normaliser);
  if (model.readout != usual.readout) all.push_back("readout " + config::name_of(model.readout));
  return all;
}

}  // namespace

Traits traits(const ModelConfig& config) {
  return config.type == ModelType::transformer ? traits_of_transformer(config)
                                               : traits_of_recurrent(config);
}

std::string describe_model(const ModelConfig& model) {
  return join(model.type == ModelType::transformer ? phrases_of_transformer(model)
                                                   : phrases_of_recurrent(model),
              ", ");
}

}  // namespace heed::model
