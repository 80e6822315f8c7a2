#include "run/ending.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/format.h"
#include "base/strings.h"
#include "train/limits.h"

namespace heed::run {
namespace {

using train::StopReason;

/// Fewer updates hardly teach anything.
constexpr int64_t kFewestUpdates = 1000;

/// Returns the updates that a training has where it goes on with more_settings().
int64_t more_updates(const train::TrainResult& result) {
  if (result.updates < result.planned) return result.planned;
  if (result.limit == StopReason::epochs) return 2 * result.planned;
  return std::max(2 * result.updates, kFewestUpdates);
}

/// Returns the settings with which a training that has reached a limit goes on; none after the last
/// of data.stages, which are fixed.
std::vector<std::string> more_settings(const train::TrainResult& result,
                                       const train::TrainConfig& config) {
  if (result.limit == StopReason::minutes) return {"training.max_minutes=0"};
  if (result.limit == StopReason::patience)
    return {fmt::format("training.early_stopping.patience={}", 2 * config.early_stopping.patience)};
  if (result.limit != StopReason::updates && result.limit != StopReason::epochs) return {};
  std::vector<std::string> settings;
  const int64_t updates = more_updates(result);
  if (config.epochs > 0) settings.push_back(fmt::format("training.epochs={}", 2 * config.epochs));
  if (updates > config.updates) settings.push_back(fmt::format("training.updates={}", updates));
  if (config.max_minutes > 0) settings.emplace_back("training.max_minutes=0");
  return settings;
}

/// Whether validations got worse again long before the end.
bool best_was_long_before(const train::TrainResult& result, const train::TrainConfig& config) {
  return result.best_update > 0 && result.updates - result.best_update >=
                                       std::max(2 * config.validate_every, result.updates / 4);
}

}  // namespace

std::string ending_text(const train::TrainResult& result, const train::TrainConfig& config,
                        int64_t pairs, const std::string& folder) {
  const std::string run = shell_path(folder);
  const std::string use = fmt::format("heed translate {}", run);
  // Epochs may have other numbers of batches than the first one, and stages are no number at all.
  const bool early = result.updates < result.planned &&
                     (result.limit == StopReason::minutes || result.limit == StopReason::patience);
  const bool little = result.bleu_of_best && *result.bleu_of_best < kLittleBleu;
  if (!early && !little) return "done: " + use;
  std::string done = fmt::format(
      "{}{}", with_commas(result.updates),
      early ? fmt::format(" of {} planned updates", with_commas(result.planned)) : " updates");
  if (result.bleu_of_best)
    done += fmt::format(", BLEU {} in validation", fixed(*result.bleu_of_best, 1));
  // Who began with another model has had this advice.
  const std::string advice = little && pairs < kFewPairs && config.from.empty()
                                 ? fmt::format("; {} are few, and {} with heed init",
                                               counted(pairs, "pair"), kMoreThanFewPairs)
                                 : "";
  if (result.limit == StopReason::patience) {
    done += ", and validations got no better";
    if (!little) return fmt::format("done with {}: {}", done, use);
  } else if (!early && best_was_long_before(result, config)) {
    return fmt::format(
        "{}, the best at update {}: more pairs would help, more updates of these would not "
        "(docs/first_steps.md){}; {} uses what was learned",
        done, with_commas(result.best_update), advice, use);
  }
  const std::vector<std::string> settings = more_settings(result, config);
  if (settings.empty())
    return fmt::format(
        "{}: data.stages are over, and fixed for this run; more of them need a new one "
        "(--overwrite). {} uses what was learned",
        done, use);
  const double minutes_of_update =
      result.minutes / static_cast<double>(std::max<int64_t>(1, result.updates));
  const auto left = static_cast<double>(more_updates(result) - result.updates);
  return fmt::format(
      "{}{}: train on with `heed train {} --resume --set {}` (about {}){}; {} uses what was "
      "learned",
      result.limit == StopReason::minutes ? "ended at training.max_minutes with " : "", done, run,
      join(settings, " --set "), human_duration(60 * minutes_of_update * left), advice, use);
}

}  // namespace heed::run
