// Small models of every kind with random weights, and a vocabulary for them.
#pragma once

#include <ATen/ATen.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "decode/translator.h"
#include "model/model.h"
#include "text/vocabulary_training.h"

namespace heed::decode {

/// A small vocabulary of invented words, trained once for all tests of this program.
inline const text::Vocabulary& vocabulary() {
  static const text::Vocabulary trained = [] {
    const auto path = std::filesystem::temp_directory_path() /
                      ("heed_translator_test." + std::to_string(getpid()));
    std::ofstream file(path);
    const std::vector<std::string> words{"mira",  "tolo",   "sena",  "kupo",  "vadi",
                                         "rel",   "nostra", "bahir", "glume", "wexta",
                                         "fonji", "quorz",  "dyphe"};
    for (int i = 0; i < 300; ++i) {
      for (int j = 0; j <= i % 9; ++j) file << words[(i * 3 + j * j * 5 + j) % words.size()] << ' ';
      file << '\n';
    }
    file.close();
    auto out = text::train_vocabulary({.files = {path.string()}, .size = 32});
    std::filesystem::remove(path);
    return out;
  }();
  return trained;
}

inline std::vector<model::ModelConfig> small_models() {
  model::ModelConfig transformer;
  transformer.type = model::ModelType::transformer;
  transformer.width = 24;
  transformer.feed_forward = 40;
  transformer.heads = 3;
  transformer.encoder_layers = transformer.decoder_layers = 2;
  model::ModelConfig rnn;
  rnn.type = model::ModelType::rnn;
  rnn.embedding_size = 12;
  rnn.hidden_size = 20;
  model::ModelConfig blind = rnn;
  blind.attention = "none";
  blind.cell = model::Cell::lstm;
  blind.layers = 2;
  model::ModelConfig luong = rnn;
  luong.attention = "luong_general";
  luong.input_feeding = true;
  return {transformer, rnn, blind, luong};
}

/// And those that attend in other ways.
inline std::vector<model::ModelConfig> many_models() {
  std::vector<model::ModelConfig> out = small_models();
  model::ModelConfig linear = out[0];
  linear.self_attention = "linear";
  linear.positions = "rotary";
  model::ModelConfig sparse = out[0];
  sparse.self_attention = "sparse";
  sparse.sliding_window = 1;
  sparse.global_tokens = 1;
  sparse.positions = "relative";
  sparse.attention_normaliser = "entmax15";
  model::ModelConfig ssru = out[0];
  ssru.decoder = model::DecoderKind::ssru;
  model::ModelConfig average = out[0];
  average.decoder = model::DecoderKind::average;
  average.decoder_layers = 1;
  model::ModelConfig covered = out[1];
  covered.coverage = model::Coverage::neural;
  covered.coverage_size = 3;
  model::ModelConfig two_heads = out[3];
  two_heads.attention_heads = 2;
  two_heads.attention_normaliser = "sparsemax";
  model::ModelConfig local = out[3];
  local.window = model::Window::local_p;
  local.window_size = 2;
  out.insert(out.end(), {linear, sparse, covered, two_heads, local, ssru, average});
  return out;
}

/// Random weights, scaled up so that no two pieces are nearly equal, and not so far that a
/// recurrent state turns chaotic and makes much of the last bit.
inline model::ModelPtr random_model(const model::ModelConfig& config, uint64_t seed = 5) {
  at::manual_seed(seed);
  auto model = model::make_model(config, {vocabulary().size(), vocabulary().size()});
  const at::NoGradGuard no_gradients;
  const double factor = config.type == model::ModelType::rnn ? 1.5 : 2.5;
  for (auto& parameter : model->parameters())
    if (parameter.dim() > 1) parameter.mul_(factor);
  return model;
}

/// A model that no engine knows, as those whose mechanisms somebody has added to a registry:
/// LibTorch translates with it on a CPU, too.
class WithoutEngine : public model::Model {
 public:
  explicit WithoutEngine(model::ModelPtr known) : known_(register_module("known", known)) {}

  Tensor features(const model::Source& source, const model::TargetInput& input,
                  model::Trace* trace) override {
    return known_->features(source, input, trace);
  }
  Tensor logits(const Tensor& features) override { return known_->logits(features); }
  model::State start(const model::Source& source, model::Trace* trace) override {
    return known_->start(source, trace);
  }
  Tensor step(const Tensor& tokens, model::State& state, model::Trace* trace) override {
    return known_->step(tokens, state, trace);
  }
  int64_t longest() const override { return known_->longest(); }
  bool attends() const override { return known_->attends(); }

 private:
  model::ModelPtr known_;
};

inline model::ModelPtr without_engine(model::ModelPtr model) {
  return std::make_shared<WithoutEngine>(std::move(model));
}

inline Translator make_translator(const model::ModelPtr& model, DecodeConfig config = {}) {
  config.max_length_ratio = 0.5;
  return Translator({{model, vocabulary(), vocabulary()}}, config, at::kCPU, at::kFloat);
}

}  // namespace heed::decode
