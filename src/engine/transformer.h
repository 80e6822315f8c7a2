// A Transformer laid out for translating on a CPU: weights rearranged for its vector units in fp32,
// bf16 or int8, steps without one call of LibTorch, caches that are never copied.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/attend.h"
#include "engine/matrix.h"
#include "model/model.h"
#include "model/transformer/attention/attention.h"

namespace heed::engine {

struct Linear {
  Matrix matrix;
  std::vector<float> bias;
};

struct LayerNorm {
  std::vector<float> gamma, beta;
};

struct AttentionWeights {
  LayerNorm norm;
  HeadShape shape;
  std::vector<int64_t> kept;      // as MultiHeadOptions
  kernels::Pattern pattern = {};  // of self-attention
  Linear query, keys_values, output;
};

struct LayerWeights {
  AttentionWeights self, cross;  // cross: in the decoder alone
  LayerNorm norm;                // of the feed-forward layers
  Linear inner, outer;
};

/// Rows of the usual positions, beside each other; empty: there are none.
struct PositionRows {
  std::vector<float> numbers;
  int64_t size = 0;  // of a row

  bool any() const { return size > 0; }
};

struct StackWeights {
  Tensor embedding;  // [vocab, width] fp32
  std::shared_ptr<const model::Positions> positions;
  PositionRows vectors, rotations;  // of the positions; rotations: [head / 2][2], cosine and sine
  std::vector<LayerWeights> blocks;
  LayerNorm norm;  // at the end, with pre-norm
};

/// A tensor's numbers in fp32, row by row; none where it is undefined.
std::vector<float> numbers_of(const Tensor& tensor);

/// As a Model it is the one that it was made of; BatchDecoder runs the rearranged weights.
class Transformer : public model::Model {
 public:
  /// `inner`: a Transformer on the CPU in fp32, whose weights must not change from now on.
  Transformer(model::ModelPtr inner, const model::ModelConfig& config, WeightFormat numbers);

  Tensor features(const model::Source& source, const model::TargetInput& input,
                  model::Trace* trace) override {
    return inner_->features(source, input, trace);
  }
  Tensor logits(const Tensor& features) override { return inner_->logits(features); }
  model::OutputWeights output() override { return inner_->output(); }
  model::State start(const model::Source& source, model::Trace* trace) override {
    return inner_->start(source, trace);
  }
  Tensor step(const Tensor& tokens, model::State& state, model::Trace* trace) override {
    return inner_->step(tokens, state, trace);
  }
  int64_t longest() const override { return inner_->longest(); }
  model::StateSize state_size() const override { return inner_->state_size(); }
  bool attends() const override { return true; }

 private:
  friend class BatchDecoder;
  model::ModelConfig config_;
  model::ModelPtr inner_;
  WeightFormat numbers_;
  StackWeights encoder_, decoder_;
  Linear output_;
};

/// `model` rearranged, or null where it is no Transformer on a CPU in fp32, or
/// model::Traits::all_softmax is false for it.
std::shared_ptr<Transformer> make_engine(const model::ModelPtr& model, WeightFormat numbers);

}  // namespace heed::engine
