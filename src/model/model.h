// The one interface of every model: training, scoring, stepwise decoding and looking at attention.
//
// Dimension names, everywhere in heed: batch (or sentences), beam, source, target, query, heads,
// head (width of one head), width, hidden, memory, vocab, layers. Masks are bool and true means
// "may look". A model owns parameters and nothing that depends on the current sentence: what a
// decoder carries from step to step is a State that the caller holds.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <vector>

#include "kernels/tensor.h"
#include "model/description/config.h"
#include "model/pointer.h"
#include "model/source.h"
#include "model/state.h"
#include "model/trace.h"

namespace heed::data {
struct Batch;  // data/batch.h
}  // namespace heed::data

namespace heed::model {

/// About how many numbers a State and a step's intermediate results have.
struct StateSize {
  int64_t source = 0;      // for each piece of a source
  int64_t hypothesis = 0;  // for each piece of a hypothesis
};

/// Stands in the place of a token that was cut out in training: its vector is zero.
inline constexpr int64_t kCut = -1;

/// logits = weight features + bias.
struct OutputWeights {
  Tensor weight;  // [vocab, features]
  Tensor bias;    // [vocab], or undefined
};

class Model : public torch::nn::Module {
 public:
  /// Teacher forcing: the decoder's outputs before the output layer, [batch, target, features].
  /// Position t depends on input.tokens[:, :t+1] alone, and padding never changes the result at a
  /// real position. Scores of padded target positions are undefined but finite.
  virtual Tensor features(const Source& source, const TargetInput& input,
                          Trace* trace = nullptr) = 0;

  /// Whether features() computes nothing for padding on this device, which is not a CPU.
  virtual bool takes_unpadded(const at::Device&) const { return false; }

  /// The output layer: [..., features] -> [..., vocab], unnormalised.
  virtual Tensor logits(const Tensor& features) = 0;

  /// The output layer's weights where it is linear and nothing else, for a loss that never makes
  /// all logits; undefined elsewhere.
  virtual OutputWeights output() { return {}; }

  /// Encodes, and returns the state before the first step with beam 1.
  virtual State start(const Source& source, Trace* trace = nullptr) = 0;

  /// One step: tokens [sentences, beam] (bos at first) -> logits [sentences, beam, vocab]; advances
  /// `state`. Equal to position state.position of `features` + `logits` for the same prefix.
  virtual Tensor step(const Tensor& tokens, State& state, Trace* trace = nullptr) = 0;

  /// The longest source or target that the model takes, in pieces with eos (learned positions), or
  /// INT64_MAX.
  virtual int64_t longest() const = 0;

  /// The size of a State, from which follows how many sentences fit in memory.
  virtual StateSize state_size() const { return {}; }

  /// Whether the model has cross-attention to look at (false for `attention: none`).
  virtual bool attends() const = 0;
};

/// Builds and initialises (with ATen's default generator) the model that `config` describes, on the
/// CPU, in fp32.
ModelPtr make_model(const ModelConfig& config, const VocabularySizes& vocabulary);

/// Copies one batch's source side to `device`.
Source make_source(const data::Batch& batch, const at::Device& device);
/// Copies one batch's decoder input to `device`.
TargetInput make_target_input(const data::Batch& batch, const at::Device& device);

/// The layout of sentences of these lengths that are padded to `longest`, on a device that is not a
/// CPU.
SentencesPtr unpadded_sentences(const std::vector<int64_t>& lengths, int64_t longest,
                                const at::Device& device);
/// Writes the numbers of `from` into the tensors of `to`, which must have as many sentences, as
/// many positions and the same `longest`.
void overwrite(const SentenceLayout& to, const SentenceLayout& from);

/// Number of trainable parameters; tied ones count once.
int64_t count_parameters(const Model& model);

/// Sets evaluation mode for the lifetime of this object; models that were in training mode are so
/// again afterwards.
class EvaluationMode {
 public:
  explicit EvaluationMode(const std::vector<Model*>& models) {
    for (Model* one : models) {
      if (!one->is_training()) continue;
      training_.push_back(one);
      one->eval();
    }
  }
  ~EvaluationMode() {
    for (Model* one : training_) one->train();
  }
  EvaluationMode& operator=(EvaluationMode&&) = delete;

 private:
  std::vector<Model*> training_;
};

}  // namespace heed::model
