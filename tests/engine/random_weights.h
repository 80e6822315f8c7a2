// Small networks of random numbers, without LibTorch.
#pragma once

#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/weights.h"
#include "model/description/config.h"

namespace heed::engine::testing {

using engine::kOneThread;

inline Array random_array(std::vector<int64_t> shape, uint64_t seed) {
  Array array{.shape = std::move(shape)};
  std::mt19937_64 generator(seed);
  std::normal_distribution<float> normal;
  const auto numbers = std::make_shared<Floats>(array.count());
  for (float& x : *numbers) x = 0.5F * normal(generator);
  array.data = numbers->data();
  array.owner = numbers;
  return array;
}

class RandomWeights {
 public:
  void add(const std::string& name, std::vector<int64_t> shape) {
    arrays_[name] = random_array(std::move(shape), arrays_.size() + 1);
  }
  void add_linear(const std::string& name, int64_t columns, int64_t inner) {
    add(name + ".weight", {columns, inner});
    add(name + ".bias", {columns});
  }
  void add_norm(const std::string& name, int64_t width) {
    add(name + ".weight", {width});
    add(name + ".bias", {width});
  }
  Weights weights() const { return Weights(arrays_); }

 private:
  std::map<std::string, Array> arrays_;
};

inline model::ModelConfig small_transformer() {
  model::ModelConfig config;
  config.width = 12;
  config.heads = 3;
  config.feed_forward = 10;
  config.encoder_layers = config.decoder_layers = 1;
  config.max_positions = 9;
  return config;
}

/// Random weights of small_transformer() with any positions, norms and ties.
inline Weights random_transformer(const model::ModelConfig& config, int64_t pieces) {
  namespace names = model::names;
  using model::AttentionKind;
  const int64_t width = config.width;
  RandomWeights all;
  for (const bool decoder : {false, true}) {
    all.add(std::string(model::embedding_module(config.tie, decoder)) + ".weight", {pieces, width});
    const std::string positions = decoder ? names::kTargetPositions : names::kSourcePositions;
    if (config.positions == "learned")
      all.add(positions + ".weight", {config.max_positions, width});
    if (config.embedding_norm) all.add_norm(names::embedding_norm(decoder), width);
    if (config.norm == model::Norm::pre)
      all.add_norm(names::within(names::stack(decoder), names::kNorm), width);
    const auto attention = [&](AttentionKind kind) {
      const std::string own = names::attention(kind, 0);
      const bool cross = kind == AttentionKind::cross;
      if (cross) all.add_linear(names::within(own, names::kQuery), width, width);
      all.add_linear(names::within(own, names::kProjection), (cross ? 2 : 3) * width, width);
      all.add_linear(names::within(own, names::kOutput), width, width);
      all.add_norm(names::norm_of_attention(kind, 0), width);
    };
    if (decoder && config.decoder == model::DecoderKind::ssru) {
      const std::string own = names::recurrence(0);
      all.add(names::within(own, names::kCandidate) + ".weight", {width, width});
      all.add_linear(names::within(own, names::kForget), width, width);
      all.add_norm(names::norm_of_attention(AttentionKind::decoder, 0), width);
    } else {
      attention(decoder ? AttentionKind::decoder : AttentionKind::encoder);
    }
    if (decoder) attention(AttentionKind::cross);
    const std::string feed_forward = names::feed_forward(decoder, 0);
    all.add_linear(names::within(feed_forward, names::kInner), config.feed_forward, width);
    all.add_linear(names::within(feed_forward, names::kOutput), width, config.feed_forward);
    all.add_norm(names::norm_of_feed_forward(decoder, 0), width);
  }
  if (config.tie == model::Tie::none)
    all.add(std::string(model::kOutputModule) + ".weight", {pieces, width});
  all.add(std::string(model::kOutputModule) + ".bias", {pieces});
  return all.weights();
}

inline model::ModelConfig small_recurrent() {
  model::ModelConfig config;
  config.type = model::ModelType::rnn;
  config.embedding_size = 7;
  config.hidden_size = 10;
  config.attention = "luong_general";
  config.attention_heads = 2;
  return config;
}

/// Random weights of small_recurrent(): a GRU with an attention after it.
inline Weights random_recurrent(const model::ModelConfig& config, int64_t pieces) {
  const int64_t width = config.embedding_size, hidden = config.hidden_size;
  RandomWeights all;
  for (const bool decoder : {false, true})
    all.add(std::string(model::embedding_module(config.tie, decoder)) + ".weight", {pieces, width});
  const auto cell = [&](const std::string& own, int64_t input, int64_t state) {
    all.add(own + "input_weight", {3 * state, input});
    all.add(own + "input_bias", {3 * state});
    all.add(own + "hidden_weight", {3 * state, state});
    all.add(own + "hidden_bias", {3 * state});
  };
  for (const char* direction : {"forward", "backward"})
    cell(std::string("encoder.layer0_") + direction + "_", width, hidden / 2);
  cell("decoder.layer0.", width, hidden);
  all.add("decoder.initial_weight", {hidden, hidden});
  all.add("decoder.initial_bias", {hidden});
  for (const char* part : {"query", "memory"})
    all.add(std::string("decoder.attention.") + part, {hidden, hidden});
  for (const char* head : {"head0", "head1"})
    all.add(std::string("decoder.attention.") + head + ".key", {hidden / 2, hidden / 2});
  for (const char* part : {"read_state", "read_context"})
    all.add(std::string("decoder.") + part, {width, hidden});
  all.add("decoder.read_bias", {width});
  all.add_linear(model::kOutputModule, pieces, width);
  return all.weights();
}

}  // namespace heed::engine::testing
