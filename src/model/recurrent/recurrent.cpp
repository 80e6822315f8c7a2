#include "model/recurrent/recurrent.h"

#include <ATen/ATen.h>

#include <cstdint>
#include <limits>
#include <memory>

#include "model/description/config.h"
#include "model/embedding.h"
#include "model/model.h"
#include "model/pointer.h"
#include "model/recurrent/decoder.h"
#include "model/recurrent/encoder.h"
#include "model/source.h"
#include "model/state.h"
#include "model/trace.h"

namespace heed::model {
namespace {

class RecurrentModel : public Model {
 public:
  RecurrentModel(const ModelConfig& config, const VocabularySizes& vocabulary) : config_(config) {
    const int64_t width = config.embedding_size;
    tokens_ = add_token_layers(*this, config, vocabulary, width);
    encoder_ = register_module("encoder", std::make_shared<RecurrentEncoder>(config, width));
    decoder_ = register_module("decoder", std::make_shared<RecurrentDecoder>(config, width));
  }

  Tensor features(const Source& source, const TargetInput& input, Trace* trace) override {
    const State state = start(source, trace);
    Tensor weights;
    const Tensor output =
        decoder_->run(embed(*tokens_.target, input.tokens), state, wanted(trace, weights),
                      trace != nullptr && trace->guided ? &trace->guided->logs : nullptr,
                      trace != nullptr ? trace->exchange : Exchange());
    note(trace, weights);
    return drop(output, config_.dropout, is_training());
  }

  Tensor logits(const Tensor& features) override { return tokens_.output->forward(features); }
  OutputWeights output() override { return {tokens_.output->weight(), tokens_.output->bias()}; }

  State start(const Source& source, Trace* trace) override {
    const Tensor vectors = traced_vectors(tokens_.source->forward(source.tokens), trace);
    return decoder_->start(
        encoder_->forward(drop(vectors, config_.dropout, is_training()), source));
  }

  Tensor step(const Tensor& tokens, State& state, Trace* trace) override {
    Tensor weights;
    const Tensor output =
        decoder_->step(embed(*tokens_.target, tokens), state, wanted(trace, weights));
    note(trace, weights);
    return logits(drop(output, config_.dropout, is_training()));
  }

  const ModelConfig& config() const { return config_; }
  int64_t longest() const override { return std::numeric_limits<int64_t>::max(); }
  bool attends() const override { return decoder_->attends(); }
  /// Counts encoder states and the keys that the attention makes of them, and the inner layer of a
  /// score for each source piece and hypothesis.
  StateSize state_size() const override {
    return {.source = 2 * config_.hidden_size, .hypothesis = attends() ? config_.hidden_size : 0};
  }

 private:
  Tensor embed(Embedding& embedding, const Tensor& tokens) {
    return drop(embedding.forward(tokens), config_.dropout, is_training());
  }

  static Tensor* wanted(const Trace* trace, Tensor& weights) {
    return trace != nullptr && trace->kinds.contains(AttentionKind::cross) ? &weights : nullptr;
  }

  static void note(Trace* trace, const Tensor& weights) {
    if (weights.defined()) trace->maps.push_back({AttentionKind::cross, 0, weights.detach()});
  }

  ModelConfig config_;
  TokenLayers tokens_;
  std::shared_ptr<RecurrentEncoder> encoder_;
  std::shared_ptr<RecurrentDecoder> decoder_;
};

}  // namespace

ModelPtr make_recurrent(const ModelConfig& config, const VocabularySizes& vocabulary) {
  // The code that has the vocabularies checks that there is only one for `tie: all`.
  check(config, /*shares_pieces=*/true);
  return std::make_shared<RecurrentModel>(config, vocabulary);
}

const ModelConfig* recurrent_config(const Model& model) {
  const auto* recurrent = dynamic_cast<const RecurrentModel*>(&model);
  return recurrent == nullptr ? nullptr : &recurrent->config();
}

}  // namespace heed::model
