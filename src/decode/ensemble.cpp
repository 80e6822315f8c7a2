#include "decode/ensemble.h"

#include <ATen/ATen.h>

#include <cmath>

#include "base/error.h"
#include "text/vocabulary.h"

namespace heed::decode {
namespace {

using model::Tensor;

/// The last attending layer, mean of its heads: [sentences, beam, source].
Tensor cross_attention(const model::Trace& trace) {
  const model::AttentionMap* last = nullptr;
  for (const auto& map : trace.maps)
    if (map.kind == model::AttentionKind::kCross && (!last || map.layer >= last->layer))
      last = &map;
  if (!last) return {};
  return last->weights.to(at::kFloat).mean(1).cpu().contiguous();
}

}  // namespace

EvalMode::EvalMode(const std::vector<model::Model*>& models) {
  for (auto* one : models) {
    if (!one->is_training()) continue;
    training_.push_back(one);
    one->eval();
  }
}

EvalMode::~EvalMode() {
  for (auto* one : training_) one->train();
}

Tensor mixed_log_probabilities(const std::vector<Tensor>& logits) {
  if (logits.size() == 1) return at::log_softmax(logits[0], -1, at::kFloat);
  std::vector<Tensor> all;
  for (const auto& one : logits) all.push_back(at::log_softmax(one, -1, at::kFloat));
  return at::logsumexp(at::stack(all), 0) - std::log(static_cast<double>(all.size()));
}

Ensemble::Ensemble(const std::vector<model::Model*>& models,
                   const std::vector<model::Source>& sources, bool keep_attention)
    : models_(models), keep_attention_(keep_attention && models[0]->attends()) {
  for (std::size_t m = 0; m < models_.size(); ++m) states_.push_back(models_[m]->start(sources[m]));
}

Ensemble::Output Ensemble::step(const Tensor& tokens) {
  Output out;
  std::vector<Tensor> logits;
  for (std::size_t m = 0; m < models_.size(); ++m) {
    model::Trace trace;
    const bool traced = m == 0 && keep_attention_;
    logits.push_back(models_[m]->step(tokens, states_[m], traced ? &trace : nullptr));
    if (traced) out.attention = cross_attention(trace);
  }
  out.log_probs = mixed_log_probabilities(logits);  // [sentences, beam, vocab]
  // One NaN logit makes its whole row NaN, so that one column tells.
  if (out.log_probs.select(-1, text::kUnknown).isnan().any().item<bool>())
    throw Failure("the model's scores are not numbers: its weights are damaged or diverged");
  return out;
}

void Ensemble::keep(const Tensor& sentences) {
  for (auto& state : states_) model::keep_sentences(state, sentences);
}

void Ensemble::reorder(const Tensor& parents) {
  for (auto& state : states_) model::reorder_beams(state, parents);
}

}  // namespace heed::decode
