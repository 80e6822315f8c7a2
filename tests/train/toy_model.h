// A model that learns to copy: tanh of a linear layer over the target word so far and the source
// word at the same place, with dropout; and a corpus for it.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <vector>

#include "base/random.h"
#include "data/batches.h"
#include "data/example.h"
#include "data/examples.h"
#include "kernels/dropout.h"
#include "model/model.h"

namespace heed::train::toy {

using at::Tensor;

inline constexpr int64_t kVocab = 11, kWidth = 12;

class ToyModel : public model::Model {
 public:
  explicit ToyModel(double dropout = 0) : dropout_(dropout) {
    at::manual_seed(5);
    const auto add = [&](const char* name, at::IntArrayRef shape) {
      return register_parameter(name, at::randn(shape) * 0.3);
    };
    source_ = add("source", {kVocab, kWidth});
    target_ = add("target", {kVocab, kWidth});
    hidden_ = add("hidden", {kWidth, 2 * kWidth});
    output_ = add("output", {kVocab, kWidth});
    bias_ = add("bias", {kVocab});
  }

  Tensor features(const model::Source& source, const model::TargetInput& input,
                  model::Trace* = nullptr) override {
    if (source.tokens.numel() > largest) throw std::bad_alloc();
    const int64_t steps = input.tokens.size(1), words = source.tokens.size(1);
    Tensor read = at::embedding(source_, source.tokens) * source.valid.unsqueeze(2);
    read = words < steps ? at::constant_pad_nd(read, {0, 0, 0, steps - words})
                         : read.narrow(1, 0, steps);
    Tensor x = at::cat({at::embedding(target_, input.tokens), read}, 2);
    if (is_training() && dropout_ > 0) x = kernels::dropout(x, dropout_);
    Tensor out = at::tanh(at::linear(x, hidden_));
    if (is_training() ? ++calls > 0 && poisoned(calls) : sick) out = out / 0.;
    return out;
  }
  Tensor logits(const Tensor& features) override { return at::linear(features, output_, bias_); }
  model::State start(const model::Source&, model::Trace*) override { return {}; }
  Tensor step(const Tensor&, model::State&, model::Trace*) override { return {}; }
  int64_t longest() const override { return std::numeric_limits<int64_t>::max(); }
  bool attends() const override { return false; }

  int64_t largest =
      std::numeric_limits<int64_t>::max();  // source tokens, padded, that memory is enough for
  int64_t calls = 0;                        // while training
  int64_t poison_from = 0, poison_to = 0;   // calls [from, to) whose loss is not finite
  bool sick = false;                        // the loss is not finite while validating

 private:
  bool poisoned(int64_t call) const { return poison_from <= call && call < poison_to; }

  double dropout_;
  Tensor source_, target_, hidden_, output_, bias_;
};

/// `pairs` sentences of 1 to `most` words whose translation is the sentence itself.
inline std::vector<data::Example> copies(int64_t pairs, uint64_t seed = 3, uint64_t most = 7) {
  Random random(seed);
  std::vector<data::Example> out;
  for (int64_t i = 0; i < pairs; ++i) {
    data::Example example{{}, {}, {0, i + 1, i}};
    const auto length = 1 + random.below(most);
    for (uint64_t w = 0; w < length; ++w)
      example.source.push_back(static_cast<int32_t>(4 + random.below(kVocab - 4)));
    example.target = example.source;
    out.push_back(example);
  }
  return out;
}

/// The examples with links: each piece to its position, every third to the next one, too, every
/// fifth to none; and every fourth pair without any.
inline std::vector<data::Example> linked(std::vector<data::Example> examples) {
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const auto pieces = static_cast<int32_t>(examples[i].target.size());
    for (int32_t t = 0; t < pieces && i % 4 != 3; ++t) {
      if (t % 5 == 4) continue;
      examples[i].links.push_back({t, t});
      if (t % 3 == 0 && t + 1 < pieces) examples[i].links.push_back({t, t + 1});
    }
  }
  return examples;
}

inline std::shared_ptr<const data::Corpus> corpus(int64_t pairs = 60) {
  return std::make_shared<const data::Corpus>(data::CorpusOfIds::of({copies(pairs)}));
}

inline data::Batch batch_of(const std::vector<data::Example>& examples) {
  std::vector<const data::Example*> pointers;
  for (const auto& example : examples) pointers.push_back(&example);
  return data::make_batch(pointers);
}

}  // namespace heed::train::toy
