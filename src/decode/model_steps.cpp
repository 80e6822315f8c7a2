#include "decode/model_steps.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "base/error.h"
#include "decode/recorded_steps.h"
#include "decode/search/candidates.h"
#include "engine/threads.h"
#include "model/device.h"
#include "model/model.h"
#include "model/state.h"
#include "model/trace.h"
#include "text/vocabulary.h"

namespace heed::decode {
namespace {

/// The candidates that a device chooses. They lie side by side in one block of bytes, so that the
/// host waits for one copy and nothing has to be concatenated for it.
struct Chosen {
  Tensor ids;                // [rows, count] int64
  Tensor log_probabilities;  // [rows, count] fp32
  Tensor values;             // [rows, count] of the scores' type

  static int64_t bytes(int64_t cells, at::ScalarType type) {
    return cells * static_cast<int64_t>(at::elementSize(at::kLong) + at::elementSize(at::kFloat) +
                                        at::elementSize(type));
  }
  Chosen(const Tensor& block, int64_t rows, int64_t count, at::ScalarType type) {
    int64_t begin = 0;
    const auto next = [&](at::ScalarType of) {
      const int64_t size = rows * count * static_cast<int64_t>(at::elementSize(of));
      begin += size;
      return block.narrow(0, begin - size, size).view(of).view({rows, count});
    };
    ids = next(at::kLong);
    log_probabilities = next(at::kFloat);
    values = next(type);
  }
};

Candidates on_device(const CandidateScores& scores, int64_t count) {
  const int64_t rows = scores.values.size(0), cells = rows * count;
  const at::ScalarType type = scores.values.scalar_type();
  const Tensor block =
      at::empty({Chosen::bytes(cells, type)}, scores.values.options().dtype(at::kByte));
  Chosen chosen(block, rows, count, type);
  if (count == 1)  // one pass over memory
    at::max_out(chosen.values, chosen.ids, scores.values, -1, /*keepdim=*/true);
  else
    at::topk_out(chosen.values, chosen.ids, scores.values, count, -1, /*largest=*/true,
                 /*sorted=*/false);
  if (scores.log_probabilities.defined())
    at::gather_out(chosen.log_probabilities, scores.log_probabilities, -1, chosen.ids);
  else
    chosen.log_probabilities.copy_(chosen.values);

  const model::Download download(block);
  Candidates out{
      .count = count, .values = std::vector<float>(cells), .ids = std::vector<int64_t>(cells)};
  const Chosen here(download.host(), rows, count, type);
  const auto* const ids = here.ids.const_data_ptr<int64_t>();
  const auto* const log_probabilities = here.log_probabilities.const_data_ptr<float>();
  const Tensor values = here.values.to(at::kFloat);
  const auto* const allowed = values.const_data_ptr<float>();
  at::parallel_for(0, rows, 256, [&](int64_t begin, int64_t end) {
    std::vector<ScoredPiece> row(count);
    for (int64_t r = begin; r < end; ++r) {
      for (int64_t i = 0; i < count; ++i) {
        const int64_t cell = r * count + i;
        row[i] = {allowed[cell] == kNever ? kNever : log_probabilities[cell], ids[cell]};
        require_numbers(!std::isnan(row[i].value));
      }
      std::ranges::sort(row, is_better);
      for (int64_t i = 0; i < count; ++i) {
        out.values[r * count + i] = row[i].value;
        out.ids[r * count + i] = row[i].id;
      }
    }
  });
  return out;
}

ScoreRows score_rows(const Tensor& values) {
  return {.values = values.const_data_ptr<float>(),
          .rows = values.size(0),
          .vocabulary = values.size(1)};
}

/// On a GPU sentences that are done are removed once they are 1 / kWorthLeaving of all, because
/// each time the states of the others are copied. With graphs it is a half, for which there is a
/// smaller graph.
constexpr int64_t kWorthLeaving = 4, kWorthLeavingGraphs = 2;

/// Returns the cross-attention of the last attending layer, the mean of its heads: [sentences,
/// beam, source].
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
    if (!request.required.empty()) result.required = required_of(request, scores);
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
  /// Makes the models' states those of the request's rows. Returns the tokens of the request
  /// [sentences, width] on the device. All numbers of the request are copied there at once.
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
        recorded_->reorder(sentences, hypotheses);
      else
        for (model::State& state : states_) model::reorder(state, sentences, hypotheses);
    }
    return matrix(0);
  }

  /// Returns the scores, one row for each hypothesis. Throws Failure on the CPU when a score is not
  /// a number; on other devices best_candidates() does.
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
      // Candidates are chosen from the logits, which may have half the size. best_candidates()
      // looks for NaN in the numbers that it copies anyway, so that the host waits only once.
      scores.log_probabilities = std::exchange(scores.values, logits[0]);
    return scores;
  }

  /// Sets the forbidden pieces of `scores` [sentences, width, vocab] to kNever.
  void forbid(const StepRequest& request, const Tensor& scores) const {
    constexpr double kForbidden = kNever;
    std::vector<Tensor> kept;  // [width] of each forced piece
    for (const ForcedPiece& one : request.forced)
      kept.push_back(scores[one.sentence].select(-1, one.piece).clone());
    scores.index_fill_(2, request.may_end ? never_ : never_at_first_, kForbidden);
    std::vector<int64_t> cells;
    for (const NextPiece& one : request.forbidden)
      cells.push_back(one.row * scores.size(2) + one.piece);
    if (!cells.empty())
      scores.view({-1}).index_fill_(0, model::upload_numbers(cells, device_), kForbidden);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const Tensor rows = scores[request.forced[i].sentence];
      rows.fill_(kForbidden);
      rows.select(-1, request.forced[i].piece).copy_(kept[i]);
    }
  }

  std::vector<float> required_of(const StepRequest& request, const CandidateScores& scores) const {
    std::vector<int64_t> cells;
    for (const NextPiece& one : request.required)
      cells.push_back(one.row * scores.values.size(-1) + one.piece);
    const Tensor there = model::upload_numbers(cells, device_);
    const auto of = [&](const Tensor& all) { return all.reshape({-1}).index_select(0, there); };
    Tensor values = of(scores.values);
    if (scores.log_probabilities.defined())
      values = of(scores.log_probabilities).masked_fill(values.eq(kNever), kNever);
    const Tensor host = model::Download(values.to(at::kFloat)).host();
    return {host.const_data_ptr<float>(), host.const_data_ptr<float>() + host.numel()};
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

const engine::Threads& libtorch_threads() {
  static const engine::Threads threads = [](int64_t count, int64_t grain, const auto& work) {
    at::parallel_for(0, count, grain, work);
  };
  return threads;
}

Candidates best_candidates(const CandidateScores& scores, int64_t count) {
  if (scores.values.is_cpu())
    return best_candidates(score_rows(scores.values.contiguous()), count, libtorch_threads());
  return on_device(scores, std::min(count, scores.values.size(1)));
}

Candidates all_candidates(const CandidateScores& scores) {
  Tensor values = scores.values;
  if (scores.log_probabilities.defined())
    values = scores.log_probabilities.masked_fill(values.eq(kNever), kNever);
  const Tensor host = model::Download(values.contiguous()).host();
  const Candidates all = all_candidates(score_rows(host));
  require_numbers(std::ranges::none_of(all.values, [](float value) { return std::isnan(value); }));
  return all;
}

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
