#include "train/progress.h"

#include <algorithm>

#include "base/error.h"
#include "base/json.h"
#include "train/losses.h"

namespace heed::train {
namespace {

using nlohmann::json;

json number_or_null(const std::optional<double>& value) {
  return value ? json(*value) : json(nullptr);
}

std::optional<double> optional_number(const json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<double>());
}

/// Calls visit(name, field) for every plain number: writing and reading walk one list.
template <class Visit>
void visit_numbers(Progress& progress, Visit visit) {
  visit("update", progress.update);
  visit("epoch", progress.epoch);
  visit("seconds", progress.seconds);
  visit("update_seconds", progress.update_seconds);
  visit("tokens", progress.tokens);
  visit("validated", progress.validated);
  visit("stale", progress.stale);
  visit("reductions", progress.reductions);
  visit("skipped", progress.skipped);
  visit("skipped_in_a_row", progress.skipped_in_a_row);
  visit("rollbacks", progress.rollbacks);
  visit("rate_factor", progress.rate_factor);
  visit("loss_scale", progress.loss_scale);
  visit("scale_age", progress.scale_age);
  visit("warmup_seconds", progress.warmup_seconds);
  visit("window_loss", progress.interval.loss);
  visit("window_nll", progress.interval.nll);
  for (const AuxiliaryLoss& loss : all_losses())
    visit("window_" + loss.name, progress.interval.terms[loss.name]);
  visit("window_tokens", progress.interval.tokens);
  visit("window_real", progress.interval.real);
  visit("window_places", progress.interval.padded);
  visit("window_updates", progress.interval.updates);
  visit("window_skipped", progress.interval.skipped);
  visit("window_rate", progress.interval.rate);
  visit("window_norm", progress.interval.norm);
  visit("window_seconds", progress.interval.seconds);
  visit("window_waited", progress.interval.waited);
}

/// Whether some checkpoints are older than this number.
bool is_newer(const std::string& name) {
  return name == "warmup_seconds" || std::ranges::any_of(all_losses(), [&](const auto& loss) {
           return name == "window_" + loss.name;
         });
}

json to_json(const Best& best) {
  return {{"update", best.update},
          {"score", best.score},
          {"loss", number_or_null(best.loss)},
          {"bleu", number_or_null(best.bleu)},
          {"file", best.file}};
}

Best best_of(const json& value) {
  return {value.at("update").get<int64_t>(), value.at("score").get<double>(),
          optional_number(value.at("loss")), optional_number(value.at("bleu")),
          value.at("file").get<std::string>()};
}

}  // namespace

std::string Progress::to_json() const {
  json out;
  Progress numbers = *this;  // visits are for writing, too
  visit_numbers(numbers, [&](const std::string& name, const auto& field) { out[name] = field; });
  out["position"] = position.to_json();
  out["lowest_loss"] = number_or_null(lowest_loss);
  out["highest_bleu"] = number_or_null(highest_bleu);
  out["regular_best"] = number_or_null(regular_best);
  out["regular_loss"] = number_or_null(regular_loss);
  out["best"] = json::array();
  for (const Best& one : best) out["best"].push_back(train::to_json(one));
  return out.dump();
}

Progress Progress::from_json(const std::string& text, const std::string& origin) {
  Progress progress;
  try {
    const json in = json_or_discarded(text);
    visit_numbers(progress, [&](const std::string& name, auto& field) {
      // A last gradient that was not finite has no number in JSON.
      if (is_newer(name) && !in.contains(name)) return;
      if (!in.at(name).is_null()) in.at(name).get_to(field);
    });
    progress.position = data::Position::from_json(in.at("position").get<std::string>());
    progress.lowest_loss = optional_number(in.at("lowest_loss"));
    progress.highest_bleu = optional_number(in.at("highest_bleu"));
    for (const json& one : in.at("best")) progress.best.push_back(best_of(one));
    if (in.contains("regular_best"))
      progress.regular_best = optional_number(in.at("regular_best"));
    else if (!progress.best.empty())  // older than this field
      progress.regular_best = progress.best.front().score;
    if (in.contains("regular_loss"))  // older checkpoints have none
      progress.regular_loss = optional_number(in.at("regular_loss"));
  } catch (const json::exception&) {
    throw UserError(origin + ": its training state is not what this heed writes");
  }
  return progress;
}

}  // namespace heed::train
