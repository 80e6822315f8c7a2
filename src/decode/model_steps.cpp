#include "decode/model_steps.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <cmath>

#include "model/device.h"

namespace heed::decode {
namespace {

/// On a GPU sentences that are done leave once they are this part of all: each time copies what the
/// models keep of the others. Recorded steps are of half as many then.
constexpr int64_t kWorthLeaving = 4, kWorthLeavingGraphs = 2;

/// The last attending layer, mean of its heads: [sentences, beam, source].
Tensor cross_attention(const model::Trace& trace) {
  const model::AttentionMap* last = nullptr;
  for (const auto& map : trace.maps)
    if (map.kind == model::AttentionKind::cross && (!last || map.layer >= last->layer)) last = &map;
  if (!last) return {};
  return last->weights.to(at::kFloat).mean(1).contiguous();
}

class ModelSteps : public Steps {
 public:
  ModelSteps(const std::vector<model::Model*>& models, const std::vector<model::Source>& sources,
             const SearchOptions& options, RecordedSteps* recorded)
      : models_(models),
        device_(sources[0].tokens.device()),
        keep_attention_(options.wants_attention() && models[0]->attends()),
        graphs_(recorded),
        never_(model::upload_numbers(options.never, device_)) {
    std::vector<int64_t> at_first = options.never;
    at_first.push_back(text::kEnd);
    never_at_first_ = model::upload_numbers(at_first, device_);
    for (std::size_t m = 0; m < models.size(); ++m) states_.push_back(models[m]->start(sources[m]));
  }

  int64_t begin(int64_t width, int64_t steps) override {
    if (graphs_ && keep_attention_) graphs_->refuse("their attention is asked for");
    if (!graphs_ || keep_attention_ || !graphs_->start(states_[0], width, steps)) return 1;
    recorded_ = graphs_;
    states_[0] = {};
    return width;
  }

  StepResult step(const StepRequest& request) override {
    const Tensor tokens = go_on(request);
    std::optional<model::Download> attention;
    const CandidateScores scores =
        recorded_ ? recorded_->step(tokens) : this->scores(tokens, attention);
    forbid(request, scores.values.unflatten(0, tokens.sizes()));
    StepResult result{.candidates = request.candidates == 0
                                        ? all_candidates(scores)
                                        : best_candidates(scores, request.candidates),
                      .attention = {}};
    if (attention) {
      const Tensor host = attention->host();
      const float* rows = host.const_data_ptr<float>();
      result.attention.assign(rows, rows + host.numel());
    }
    return result;
  }

  bool is_worth_leaving(int64_t done, int64_t sentences) const override {
    return device_.is_cpu() ||
           done * (recorded_ ? kWorthLeavingGraphs : kWorthLeaving) >= sentences;
  }
  const engine::Threads& threads() const override { return libtorch_threads(); }

 private:
  /// The models' states are those of the request's rows. Returns its tokens [sentences, width], on
  /// the device: all of its numbers go there at once.
  Tensor go_on(const StepRequest& request) {
    std::vector<int64_t> numbers(request.tokens.begin(), request.tokens.end());
    numbers.insert(numbers.end(), request.hypotheses.begin(), request.hypotheses.end());
    numbers.insert(numbers.end(), request.sentences.begin(), request.sentences.end());
    const Tensor there = model::upload_numbers(numbers, device_);
    const auto rows = std::ssize(request.tokens);
    const auto matrix = [&](int64_t first) {
      return there.narrow(0, first, rows).view({-1, request.width});
    };
    if (!request.hypotheses.empty()) {
      const Tensor sentences = request.sentences.empty()
                                   ? Tensor()
                                   : there.narrow(0, 2 * rows, std::ssize(request.sentences));
      const Tensor hypotheses = matrix(rows);
      if (recorded_)
        recorded_->go_on_with(sentences, hypotheses);
      else
        for (model::State& state : states_) model::go_on_with(state, sentences, hypotheses);
    }
    return matrix(0);
  }

  /// Of one row for each hypothesis. Throws Failure on the CPU when a score is not a number;
  /// elsewhere best_candidates() does.
  CandidateScores scores(const Tensor& tokens, std::optional<model::Download>& attention) {
    std::vector<Tensor> logits;
    for (std::size_t m = 0; m < models_.size(); ++m) {
      model::Trace trace;
      const bool traced = m == 0 && keep_attention_;
      logits.push_back(
          models_[m]->step(tokens, states_[m], traced ? &trace : nullptr).flatten(0, 1));
      if (!traced) continue;
      const Tensor weights = cross_attention(trace);
      if (weights.defined()) attention.emplace(weights);
    }
    CandidateScores scores{.values = mixed_log_probabilities(logits), .log_probabilities = {}};
    if (scores.values.is_cpu())  // one NaN logit makes its whole row NaN: one column tells
      require_numbers(!scores.values.select(-1, text::kUnknown).isnan().any().item<bool>());
    else if (models_.size() == 1)
      // Chosen from the logits, which may be of half the size. best_candidates() looks for NaN at
      // what it reads anyway: nobody waits twice.
      scores.log_probabilities = std::exchange(scores.values, logits[0]);
    return scores;
  }

  /// `scores` [sentences, width, vocab].
  void forbid(const StepRequest& request, const Tensor& scores) const {
    constexpr double kForbidden = kNever;
    std::vector<Tensor> kept;  // [width] of each forced piece
    for (const ForcedPiece& one : request.forced)
      kept.push_back(scores[one.sentence].select(-1, one.piece).clone());
    scores.index_fill_(2, request.may_end ? never_ : never_at_first_, kForbidden);
    std::vector<int64_t> cells;
    for (const ForbiddenPiece& one : request.forbidden)
      cells.push_back(one.row * scores.size(2) + one.piece);
    if (!cells.empty())
      scores.view({-1}).index_fill_(0, model::upload_numbers(cells, device_), kForbidden);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const Tensor rows = scores[request.forced[i].sentence];
      rows.fill_(kForbidden);
      rows.select(-1, request.forced[i].piece).copy_(kept[i]);
    }
  }

  const std::vector<model::Model*>& models_;
  at::Device device_;
  bool keep_attention_;
  RecordedSteps* graphs_;
  RecordedSteps* recorded_ = nullptr;  // graphs_, once they have begun
  Tensor never_, never_at_first_;      // pieces
  std::vector<model::State> states_;
};

}  // namespace

Tensor mixed_log_probabilities(const std::vector<Tensor>& logits) {
  if (logits.size() == 1) return at::log_softmax(logits[0], -1, at::kFloat);
  std::vector<Tensor> all;
  for (const auto& one : logits) all.push_back(at::log_softmax(one, -1, at::kFloat));
  return at::logsumexp(at::stack(all), 0) - std::log(static_cast<double>(all.size()));
}

void with_steps(const std::vector<model::Model*>& models, const std::vector<model::Source>& sources,
                const SearchOptions& options, RecordedSteps* recorded,
                const std::function<void(Steps&)>& work) {
  expect(!models.empty() && models.size() == sources.size(), "one source per model");
  for (const auto& source : sources)
    expect(source.lengths.numel() == sources[0].lengths.numel(), "the same sentences for all");
  const at::NoGradGuard no_gradients;
  const model::EvaluationMode mode(models);
  ModelSteps steps(models, sources, options, recorded);
  work(steps);
}

}  // namespace heed::decode
