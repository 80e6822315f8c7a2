#include "train/validation.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>

#include "base/error.h"
#include "base/log.h"
#include "config/schema.h"
#include "data/batch.h"
#include "kernels/divide_work.h"
#include "model/device.h"
#include "model/model.h"
#include "train/loss.h"

namespace heed::train {
namespace {

Tensor nll_of(model::Model& model, const data::Batch& batch, const Validator& validator) {
  const auto source = model::make_source(batch, validator.device);
  const Target target = make_target(batch, validator.device);
  const model::Autocast autocast(validator.device, validator.precision);
  return loss_of(model, model.features(source, target.input), target, 0).nll;
}

bool interrupted(const Validator& validator) {
  return validator.interrupted && validator.interrupted();
}

/// Whether any rank was, this one where `mine`.
bool any_interrupted(const Validator& validator, bool mine) {
  bool any = false;
  for (const auto& one : validator.group.gather(std::vector<int64_t>{mine ? 1 : 0}))
    any = any || one[0] != 0;
  return any;
}

/// -log p summed over all batches; nothing where interrupted. Rank r takes batches r, r + ranks,
/// and so on.
std::optional<double> sum_nll(model::Model& model, const Validator& validator) {
  const int64_t count = std::ssize(validator.batches);
  const int64_t rank = validator.group.rank(), ranks = validator.group.size();
  const Tensor mine = at::zeros({count}, at::TensorOptions(at::kDouble).device(validator.device));
  std::atomic<bool> stopped = false;
  const auto work = [&](int64_t item, int64_t) {
    const int64_t i = rank + item * ranks;
    if (interrupted(validator))
      stopped = true;
    else
      mine[i].copy_(nll_of(model, validator.batches[i], validator));
  };
  kernels::divide_work(validator.device, (count - rank + ranks - 1) / ranks, work);
  const Tensor all = validator.group.gather(mine).cpu();
  if (any_interrupted(validator, stopped)) return std::nullopt;
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += all[i % ranks][i].item<double>();
  return sum;
}

/// The scorer is another program, and training can do without one of its scores.
ValidationScores scores_of(model::Model& model, const Validator& validator) {
  if (!validator.scores) return {};
  const ValidationScores scores =
      validator.scores(model, validator.update).value_or(ValidationScores());
  // A signal may have ended the scorer, too.
  if (scores.problem.empty() || interrupted(validator)) return scores;
  const std::string set = validator.set.empty() ? "" : " of " + validator.set;
  const std::string what = fmt::format("this validation{} has no score: {}", set, scores.problem);
  if (validator.decides != Metric::loss && !scores.values[validator.decides])
    throw Failure(
        "{}; training.early_stopping.metric: {} needs it. Everything is saved, --resume repeats "
        "the validation",
        what, config::name_of(validator.decides));
  log::warn(what);
  return scores;
}

}  // namespace

bool Validation::finite() const {
  return std::isfinite(loss);
}

double Validation::perplexity() const {
  return std::exp(loss);
}

std::optional<double> Validation::value(Metric metric) const {
  return metric == Metric::loss ? loss : scores.values[metric];
}

std::optional<Validation> validate(model::Model& model, const Validator& validator) {
  const auto start = std::chrono::steady_clock::now();
  const at::NoGradGuard no_grad;
  const model::EvaluationMode mode({&model});
  Validation out;
  const auto nll = sum_nll(model, validator);
  if (!nll) return std::nullopt;
  for (const auto& batch : validator.batches) out.tokens += batch.target_tokens();
  out.loss = *nll / static_cast<double>(out.tokens);
  if (out.finite()) out.scores = scores_of(model, validator);
  if (any_interrupted(validator, interrupted(validator))) return std::nullopt;
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return out;
}

bool record(const Validation& validation, const TrainConfig& config, Progress& progress) {
  const auto score = validation.value(config.early_stopping.metric);
  const bool lower = less_is_better(config.early_stopping);
  // Between equal scores the loss decides: BLEU is 0.00 for a while at the beginning.
  const auto is_better = [&](double other, const std::optional<double>& loss_of_other) {
    if (*score == other) return loss_of_other && validation.loss < *loss_of_other;
    return lower ? *score < other : *score > other;
  };
  const auto& bleu = validation.scores.values[Metric::bleu];
  progress.validated = progress.update;
  if (validation.finite() && (!progress.lowest_loss || validation.loss < *progress.lowest_loss))
    progress.lowest_loss = validation.loss;
  if (bleu && (!progress.highest_bleu || *bleu > *progress.highest_bleu))
    progress.highest_bleu = bleu;

  const bool counts = validation.finite() && score;
  // One at the end of a training, between the regular ones, is none that a longer training makes:
  // it may be the best, and what comes later does not depend on it.
  if (progress.update % config.validate_every == 0) {
    const auto& regular_best = progress.regular_best;
    if (counts && (!regular_best || is_better(*regular_best, progress.regular_loss))) {
      progress.regular_best = score;
      progress.regular_loss = validation.loss;
      progress.stale = 0;
    } else {
      ++progress.stale;
      ++progress.reductions;
    }
  }
  if (!counts) return false;
  auto& best = progress.best;
  const auto next = std::ranges::find_if(
      best, [&](const Best& other) { return is_better(other.score, other.loss); });
  if (next - best.begin() >= config.keep_best) return false;
  best.insert(next, {progress.update, *score, validation.loss, bleu, ""});
  if (static_cast<int64_t>(best.size()) > config.keep_best) best.pop_back();
  return true;
}

}  // namespace heed::train
