// The one interface of every model: training, scoring, stepwise decoding and looking at attention.
//
// Dimension names, everywhere in heed: batch (or sentences), beam, source, target, query, heads,
// head (width of one head), width, hidden, memory, vocab, layers. Masks are bool and true means
// "may look". A model owns parameters and nothing that depends on the current sentence: what a
// decoder carries from step to step is a State that the caller holds.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernels/tensor.h"
#include "model/description/config.h"
#include "model/pointer.h"

namespace heed::data {
struct Batch;  // data/batch.h
}  // namespace heed::data

namespace heed::model {

struct SentenceLayout;  // model/transformer/sentences.h
using SentencesPtr = std::shared_ptr<const SentenceLayout>;

/// The source side of one batch on the model's device.
struct Source {
  Tensor tokens;   // [batch, source] int64, padded at the end, each row ends with eos
  Tensor lengths;  // [batch] int64, always on the CPU, eos included, each >= 1; undefined off the
                   // CPU where `valid` alone says them
  Tensor valid;    // [batch, source] bool, false on padding
  /// The positions that are no padding, for a model that takes_unpadded(), which then reads neither
  /// `lengths` nor `valid`. nullptr: the model finds them itself.
  SentencesPtr unpadded = {};
};

/// The decoder's input with teacher forcing.
struct TargetInput {
  Tensor tokens;   // [batch, target] int64, bos first, padded at the end
  Tensor lengths;  // [batch] int64, always on the CPU, each >= 1; undefined: they are not known
  SentencesPtr unpadded = {};  // as Source::unpadded

  TargetInput() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): the tokens alone say all that a model needs.
  TargetInput(Tensor all_tokens, Tensor all_lengths = {})
      : tokens(std::move(all_tokens)), lengths(std::move(all_lengths)) {}
};

/// The weights that were kept of one attention.
struct AttentionMap {
  AttentionKind kind = AttentionKind::cross;
  int64_t layer = 0;  // 0-based
  /// [batch, heads, query, keys] float, stepwise [sentences, heads, beam, keys]. Rows sum to 1 over
  /// valid keys, but for linear attention with rotary positions.
  Tensor weights;
};

/// The cross-attention from which a loss is computed: one head, whose log weights are computed
/// beside the fused path.
struct Guided {
  int64_t layer = 0, head = 0;  // of a Transformer; the layer as in decoder_layer()
  /// Receives log weights [batch, target, source], fp32 or double, with a gradient: row t is of the
  /// step that predicts target piece t. Stays undefined where nothing attends.
  Tensor logs = {};
};

/// The source's word vectors, for gradients with regard to them.
struct SourceVectors {
  double share = 1;  // the vectors are multiplied by it
  /// Receives the vectors with which the model then goes on, [batch, source, width]: a leaf that
  /// wants a gradient.
  Tensor leaf = {};
};

/// Replaces the weights of cross-attention, [batch, heads, query, keys] of a layer, whose heads
/// begin with `first_head`, to find out what the model would say if it had looked elsewhere.
using Exchange = std::function<Tensor(const Tensor& weights, int64_t layer, int64_t first_head)>;

/// The requests of a caller that wants to see attention weights (nullptr: the fused path runs and
/// no weights are made).
struct Trace {
  std::set<AttentionKind> kinds = {AttentionKind::cross};
  std::vector<AttentionMap> maps = {};
  std::optional<Guided> guided = {};          // in `features` alone
  std::optional<SourceVectors> vectors = {};  // the same
  Exchange exchange = {};                     // the same
};

/// The tensors that a decoder carries between steps. Rows of `memory` belong to sentences and never
/// move while a beam is reordered; rows of `carried` belong to hypotheses. Undefined tensors are
/// allowed and skipped.
struct State {
  std::vector<Tensor> memory;   // each [sentences, ...]
  std::vector<Tensor> carried;  // each [sentences, beam, ...]
  int64_t position = 0;         // steps taken so far
  std::vector<int64_t> beams;   // hypotheses of a sentence at each step, where a model asks
  /// [1] int64, the position on the device, for steps that are the same work wherever they are
  /// (FixedBeams); it stays below `end`. If it is undefined, the position is `position`.
  Tensor at = {};
  int64_t end = 0;
};

/// Goes on with the given sentences (int64 [kept]; undefined: all) and with the given hypotheses
/// (int64 [kept, new beam], numbered through all sentences of `state`; undefined: theirs): finished
/// sentences leave and beams are reordered by one operation for each tensor.
void reorder(State& state, const Tensor& sentences, const Tensor& hypotheses);

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
