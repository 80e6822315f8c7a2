#include "decode/ensemble.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <cmath>

#include "decode/candidates.h"
#include "text/vocabulary.h"

namespace heed::decode {
namespace {

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
    : keep_attention_(keep_attention && models[0]->attends()) {
  for (std::size_t m = 0; m < models.size(); ++m) {
    Member& member = members_.emplace_back(Member{.model = models[m]});
    if (const auto* packed = dynamic_cast<const packed::Transformer*>(models[m]))
      member.packed = std::make_unique<packed::Search>(*packed, sources[m]);
    else
      member.state = models[m]->start(sources[m]);
  }
}

Tensor Ensemble::step(Member& member, const Tensor& tokens, Tensor* attention) {
  if (!member.packed) {
    model::Trace trace;
    const Tensor logits = member.model->step(tokens, member.state, attention ? &trace : nullptr);
    if (attention) *attention = cross_attention(trace);
    return logits;
  }
  packed::Search& search = *member.packed;
  const int64_t sentences = tokens.size(0), beam = tokens.size(1);
  std::vector<float> weights;
  float* logits =
      search.step(tokens.const_data_ptr<int64_t>(), beam, attention ? &weights : nullptr);
  if (attention) *attention = at::tensor(weights).view({sentences, beam, search.source_length()});
  return at::from_blob(logits, {sentences, beam, search.vocabulary()}, at::kFloat);
}

Ensemble::Output Ensemble::step(const Tensor& tokens) {
  Output out;
  std::vector<Tensor> logits;
  for (Member& member : members_) {
    const bool first = &member == &members_.front();
    logits.push_back(step(member, tokens, first && keep_attention_ ? &out.attention : nullptr));
  }
  bool sound = true;
  if (members_.size() == 1 && members_.front().packed) {
    out.scores = logits[0];
    const int64_t vocab = out.scores.size(2), rows = out.scores.numel() / vocab;
    const float* scores = out.scores.const_data_ptr<float>();
    out.partitions.resize(rows);
    at::parallel_for(0, rows, 8, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r)
        out.partitions[r] = kernels::partition_of(scores + r * vocab, vocab);
    });
    for (const auto& partition : out.partitions) sound &= !std::isnan(partition.log_sum);
  } else {
    out.scores = mixed_log_probabilities(logits);
    // One NaN logit makes its whole row NaN, so that one column tells. On another device
    // best_candidates() looks at what it reads anyway: nobody waits twice.
    if (out.scores.is_cpu())
      sound = !out.scores.select(-1, text::kUnknown).isnan().any().item<bool>();
  }
  require_numbers(sound);
  return out;
}

void Ensemble::keep(const Tensor& sentences) {
  for (Member& member : members_) {
    if (member.packed)
      member.packed->keep(sentences.const_data_ptr<int64_t>(), sentences.numel());
    else
      model::keep_sentences(member.state, sentences);
  }
}

void Ensemble::reorder(const Tensor& parents) {
  for (Member& member : members_) {
    if (member.packed)
      member.packed->reorder(parents.const_data_ptr<int64_t>(), parents.size(1));
    else
      model::reorder_beams(member.state, parents);
  }
}

}  // namespace heed::decode
