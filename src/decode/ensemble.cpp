#include "decode/ensemble.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <cmath>
#include <span>
#include <utility>

#include "kernels/rows/step.h"
#include "text/vocabulary.h"

namespace heed::decode {
namespace {

/// The last attending layer, mean of its heads: [sentences, beam, source].
Tensor cross_attention(const model::Trace& trace) {
  const model::AttentionMap* last = nullptr;
  for (const auto& map : trace.maps)
    if (map.kind == model::AttentionKind::cross && (!last || map.layer >= last->layer)) last = &map;
  if (!last) return {};
  return last->weights.to(at::kFloat).mean(1).contiguous();
}

}  // namespace

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
    Stepped& member = members_.emplace_back(Stepped{.model = models[m]});
    if (const auto* engine = dynamic_cast<const engine::Engine*>(models[m]))
      member.engine =
          engine->network().start(engine::source_batch(sources[m]), engine::libtorch_threads());
    else
      member.state = models[m]->start(sources[m]);
  }
}

bool Ensemble::record(RecordedSteps& recorded, int64_t beam, int64_t limit) {
  if (keep_attention_) return recorded.refuse("their attention is asked for");
  model::State& state = members_.front().state;
  if (!recorded.start(state, beam, limit)) return false;
  state = {};
  recorded_ = &recorded;
  return true;
}

Tensor Ensemble::step(Stepped& member, const Tensor& tokens, Tensor* attention) {
  if (!member.engine) {
    model::Trace trace;
    const Tensor logits = member.model->step(tokens, member.state, attention ? &trace : nullptr);
    if (attention) *attention = cross_attention(trace);
    return logits.flatten(0, 1);
  }
  engine::BatchDecoder& engine = *member.engine;
  const int64_t sentences = tokens.size(0), beam = tokens.size(1);
  std::vector<float> weights;
  float* logits =
      engine.step(tokens.const_data_ptr<int64_t>(), beam, attention ? &weights : nullptr);
  if (attention) *attention = at::tensor(weights).view({sentences, beam, engine.source_length()});
  return at::from_blob(logits, {sentences * beam, engine.vocabulary()}, at::kFloat);
}

Ensemble::Output Ensemble::step(const Tensor& tokens) {
  if (recorded_) return {.scores = recorded_->step(tokens), .attention = {}};
  Output out;
  std::vector<Tensor> logits;
  for (Stepped& member : members_) {
    const bool first = &member == &members_.front();
    Tensor attention;
    logits.push_back(step(member, tokens, first && keep_attention_ ? &attention : nullptr));
    if (attention.defined()) out.attention.emplace(attention);
  }
  CandidateScores& scores = out.scores;
  bool sound = true;
  if (members_.size() == 1 && members_.front().engine) {
    scores.values = logits[0];
    const int64_t rows = scores.values.size(0), vocab = scores.values.size(1);
    const auto* const values = scores.values.const_data_ptr<float>();
    scores.partitions.resize(rows);
    at::parallel_for(0, rows, 8, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r)
        scores.partitions[r] = kernels::partition_of(values + r * vocab, vocab);
    });
    for (const auto& partition : scores.partitions) sound &= !std::isnan(partition.log_sum);
  } else {
    scores.values = mixed_log_probabilities(logits);
    if (scores.values.is_cpu()) {
      // One NaN logit makes its whole row NaN, so that one column tells.
      sound = !scores.values.select(-1, text::kUnknown).isnan().any().item<bool>();
    } else if (members_.size() == 1) {
      // Chosen from the logits, which may be of half the size. best_candidates() looks for NaN at
      // what it reads anyway: nobody waits twice.
      scores.log_probabilities = std::exchange(scores.values, logits[0]);
    }
  }
  require_numbers(sound);
  return out;
}

void Ensemble::go_on_with(const Tensor& sentences, const Tensor& hypotheses) {
  if (recorded_) return recorded_->go_on_with(sentences, hypotheses);
  const auto numbers = [](const Tensor& x) {
    return x.defined() ? std::span(x.const_data_ptr<int64_t>(), x.numel())
                       : std::span<const int64_t>();
  };
  for (Stepped& member : members_) {
    if (member.engine)
      member.engine->go_on_with(numbers(sentences), numbers(hypotheses));
    else
      model::go_on_with(member.state, sentences, hypotheses);
  }
}

}  // namespace heed::decode
