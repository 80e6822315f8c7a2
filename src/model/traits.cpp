#include "model/traits.h"

#include "model/transformer/attention/kinds.h"

namespace heed::model {
namespace {

Traits traits_of_transformer(const ModelConfig& config) {
  const bool softmax = config.attention_normaliser == "softmax";
  Traits traits{
      .name = config::name_of(config.type),
      .network = config::name_of(config.type),
      .width = config.width,
      .width_key = "width",
      .has_self_attention = true,
      .all_softmax = softmax && self_attention_info(config.self_attention).is_plain(),
      .has_dropout = config.dropout > 0 || config.word_dropout > 0 ||
                     config.attention_dropout > 0 || config.activation_dropout > 0,
      .activations = config.encoder_layers * (8 * config.width + 2 * config.feed_forward) +
                     config.decoder_layers * (13 * config.width + 2 * config.feed_forward) +
                     4 * config.width,
      .kinds = {config::kAttentionKinds.begin(), config::kAttentionKinds.end()},
      .whole_heads = config.heads};
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

}  // namespace

Traits traits(const ModelConfig& config) {
  return config.type == ModelType::transformer ? traits_of_transformer(config)
                                               : traits_of_recurrent(config);
}

}  // namespace heed::model
