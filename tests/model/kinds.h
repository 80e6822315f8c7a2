// Every kind of model that a config can describe, small, for tests of what all of them promise.
#pragma once

#include <string>
#include <vector>

#include "model/model.h"
#include "model/recurrent/support.h"
#include "model/transformer/positions/positions.h"

namespace heed::model::testing {

struct NamedConfig {
  std::string name;
  ModelConfig config;
};

/// Every attention of the registry with all that goes with it.
inline std::vector<NamedConfig> recurrent_kinds() {
  std::vector<NamedConfig> kinds;
  for (const std::string& attention : attention_names())
    for (const Kind& kind : kinds_of(attention))
      kinds.push_back({name_of_kind(kind), small_config(kind)});
  return kinds;
}

inline ModelConfig small_transformer() {
  ModelConfig config;
  config.width = 16;
  config.heads = 4;
  config.feed_forward = 10;
  config.encoder_layers = config.decoder_layers = 1;
  config.max_positions = 40;
  config.dropout = 0;
  return config;
}

inline std::string name_of_transformer(const ModelConfig& config) {
  const std::string decoder =
      config.decoder == DecoderKind::attention ? "" : config::name_of(config.decoder) + "_";
  return decoder + config::name_of(config.norm) + "_" + config.positions + "_kv" +
         std::to_string(config.kv_heads) + "_window" + std::to_string(config.sliding_window) + "_" +
         config.self_attention + "_" + config.attention_normaliser + "_" +
         config::name_of(config.activation) + "_tie_" + config::name_of(config.tie) +
         (config.embedding_norm ? "_embedding_norm" : "");
}

/// Decoders without self-attention; what encoders alone have then takes turns.
inline std::vector<NamedConfig> recurrence_kinds() {
  std::vector<NamedConfig> kinds;
  for (const DecoderKind decoder : {DecoderKind::ssru, DecoderKind::average})
    for (const char* positions : {"sinusoidal", "rotary", "learned", "t5", "tensor2tensor"}) {
      const std::size_t i = kinds.size();
      ModelConfig config = small_transformer();
      config.decoder = decoder;
      config.positions = positions;
      config.decoder_layers = 1 + static_cast<int64_t>(i % 2);
      config.norm = i / 2 % 2 == 0 ? Norm::pre : Norm::post;
      config.embedding_norm = i % 3 == 0;
      config.activation = static_cast<Activation>(i % 3);
      config.tie = static_cast<Tie>(i % 3);
      if (i % 4 == 1) config.self_attention = "linear";
      if (i % 4 == 2) config.sliding_window = 1;
      kinds.push_back({name_of_transformer(config), config});
    }
  return kinds;
}

/// Linear and sparse attention with as many heads of keys as of queries and the positions that they
/// go with.
inline std::vector<NamedConfig> cheaper_kinds() {
  std::vector<NamedConfig> kinds;
  ModelConfig config = small_transformer();
  config.self_attention = "linear";
  for (const char* positions : {"sinusoidal", "rotary", "none"}) {
    config.positions = positions;
    kinds.push_back({name_of_transformer(config), config});
  }
  config.self_attention = "sparse";
  config.sliding_window = config.global_tokens = 1;
  config.attention_stride = 3;
  for (const char* positions : {"t5", "learned"}) {
    config.positions = positions;
    kinds.push_back({name_of_transformer(config), config});
  }
  for (const std::string& name : self_attention_names()) {  // those that only the registry knows
    if (name == "softmax" || name == "linear" || name == "sparse") continue;
    config = small_transformer();
    config.self_attention = name;
    config.kv_heads = 2;
    // Not rotary: LibTorch's fused call makes numbers of scores that are none where the values are.
    for (const char* positions : {"relative", "t5"}) {
      config.positions = positions;
      kinds.push_back({name_of_transformer(config), config});
    }
  }
  return kinds;
}

/// Positions and ways to share heads, all together; the other options take turns.
inline std::vector<NamedConfig> transformer_kinds() {
  std::vector<NamedConfig> kinds;
  for (const std::string& positions : position_names())
    for (const int64_t kv_heads : {0, 2, 1}) {
      const std::size_t i = kinds.size();
      const Norm norm = i % 2 == 0 ? Norm::pre : Norm::post;
      ModelConfig config = small_transformer();
      config.kv_heads = kv_heads;
      config.encoder_layers = 1 + static_cast<int64_t>(i % 2);
      config.decoder_layers = 2 - static_cast<int64_t>(i % 2);
      config.norm = norm;
      config.norm_epsilon = i % 5 == 3 ? 3e-4 : 1e-5;
      config.embedding_norm = i % 3 == 0;
      config.positions = positions;
      config.sliding_window = std::vector<int64_t>{0, 2, 3}[(i + i / 3) % 3];
      const std::size_t turn = i % 4;
      if (turn == 1 && positions_info(positions).effect != PositionsEffect::kAddsScores) {
        config.self_attention = "linear";
        config.sliding_window = 0;
      } else if (turn == 2) {
        config.self_attention = "sparse";
        config.sliding_window = 1 + static_cast<int64_t>(i % 3);
        config.global_tokens = static_cast<int64_t>(i / 4 % 2);
        config.attention_stride = i / 8 % 2 == 0 ? 3 : 0;
      }
      config.attention_normaliser = normaliser_names()[(i + i / 3) % normaliser_names().size()];
      config.attention_scale = i / 2 % 2 == 0 ? AttentionScale::sqrt : AttentionScale::none;
      config.activation = static_cast<Activation>((i + i / 6) % 3);
      config.tie = static_cast<Tie>((i + 2 * (i / 3)) % 3);
      kinds.push_back({name_of_transformer(config), config});
    }
  std::vector<NamedConfig> all = cheaper_kinds();
  for (NamedConfig& kind : recurrence_kinds()) all.push_back(std::move(kind));
  for (NamedConfig& kind : kinds) all.push_back(std::move(kind));
  return all;
}

inline std::vector<NamedConfig> every_kind() {
  std::vector<NamedConfig> kinds = recurrent_kinds();
  for (NamedConfig& kind : transformer_kinds()) kinds.push_back(std::move(kind));
  return kinds;
}

/// Whether a model has log weights for guided alignment. Windows and other normalisers have weights
/// of 0; `none` has none at all.
inline bool can_be_guided(const ModelConfig& config) {
  if (config.attention_normaliser != "softmax") return false;
  return config.type == ModelType::transformer ||
         (config.attention != "none" && config.window == Window::global);
}

/// `kind` with vocabularies of `pieces` each. Biases and norms, which begin at 0 and 1, are moved
/// away from there, so that they matter.
inline ModelPtr model_of(const ModelConfig& config, int64_t pieces, uint64_t seed = 3) {
  at::manual_seed(seed);
  const ModelPtr model = make_model(config, {pieces, pieces});
  const at::NoGradGuard no_grad;
  for (Tensor& parameter : model->parameters())
    if (parameter.dim() == 1) parameter.add_(at::randn_like(parameter), 0.3);
  return model;
}

}  // namespace heed::model::testing
