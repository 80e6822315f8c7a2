#include "study/ablation.h"

#include <numeric>

#include "base/strings.h"
#include "text/table.h"

namespace heed::study {
namespace {

constexpr int64_t kDraws = 1000;
constexpr uint64_t kSeed = 1;

std::string change_text(double value, const score::Interval& interval, int digits) {
  return fmt::format("{} ({})", score::with_sign(value, digits),
                     score::with_signs(interval, digits));
}

}  // namespace

std::vector<Ablated> compare_trials(const Trial& whole, const std::vector<Trial>& silenced,
                                    double pieces) {
  std::vector<Ablated> out;
  const double per_piece = static_cast<double>(whole.losses.size()) / pieces;
  for (const Trial& trial : silenced) {
    expect(trial.losses.size() == whole.losses.size(), "trials of the same sentences");
    std::vector<double> changes;
    for (std::size_t i = 0; i < whole.losses.size(); ++i)
      changes.push_back((trial.losses[i] - whole.losses[i]) * per_piece);
    Ablated row{.name = trial.name, .loss = mean_of(changes).value_or(Mean{})};
    if (!trial.bleu.empty()) {
      const std::vector<std::vector<score::BleuStatistics>> both{whole.bleu, trial.bleu};
      const score::Resamples draws = score::bootstrap(both, kDraws, kSeed);
      row.bleu = score::bleu(score::sum(trial.bleu)).score;
      row.bleu_change = score::compare_draws(draws.scores[1], draws.scores[0],
                                             row.bleu - score::bleu(score::sum(whole.bleu)).score);
    }
    out.push_back(std::move(row));
  }
  return out;
}

std::string ablation_table(const Trial& whole, const std::vector<Ablated>& rows, double pieces) {
  const bool translated = !whole.bleu.empty();
  text::Table table{{"silenced", "loss", "change"}, {}};
  if (translated) table.columns.insert(table.columns.end(), {"BLEU", "change ", "p"});
  const double loss = std::accumulate(whole.losses.begin(), whole.losses.end(), 0.0) / pieces;
  table.rows.push_back({whole.name, fixed(loss, 4), ""});
  if (translated) table.rows.back().push_back(fixed(score::bleu(score::sum(whole.bleu)).score, 2));
  table.rows.back().resize(table.columns.size());
  for (const Ablated& row : rows) {
    table.rows.push_back({row.name, fixed(loss + row.loss.value, 4),
                          change_text(row.loss.value, row.loss.interval, 4)});
    if (const auto& change = row.bleu_change)
      table.rows.back().insert(
          table.rows.back().end(),
          {fixed(row.bleu, 2), change_text(change->difference, change->interval, 2),
           score::p_text(change->p_value)});
  }
  return text::table_text(table);
}

std::string ablation_csv(const std::vector<Ablated>& rows) {
  text::Table table{{"silenced", "loss_change", "loss_low", "loss_high", "bleu", "bleu_change",
                     "bleu_low", "bleu_high", "p"},
                    {}};
  for (const Ablated& row : rows) {
    std::vector<std::string> cells{row.name, fixed(row.loss.value, 6),
                                   fixed(row.loss.interval.low, 6),
                                   fixed(row.loss.interval.high, 6)};
    if (const auto& change = row.bleu_change) {
      for (const double value : {row.bleu, change->difference, change->interval.low,
                                 change->interval.high, change->p_value})
        cells.push_back(fixed(value, 4));
    } else {
      cells.resize(table.columns.size());
    }
    table.rows.push_back(std::move(cells));
  }
  return text::table_csv(table);
}

}  // namespace heed::study
