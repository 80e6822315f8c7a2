#include "study/faithful.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "base/strings.h"
#include "config/schema.h"
#include "text/table.h"

namespace heed::study {
namespace {

constexpr int64_t kResamples = 1000;
constexpr uint64_t kSeed = 1;
constexpr std::size_t kLeastWords = 3;  // fewer source words have no order that could be compared

void add_agreement(const AttentionMatrix& matrix, const AttentionMatrix* evidence,
                   std::vector<double>& to) {
  const std::size_t words = length_before_end(matrix.source);
  if (evidence == nullptr || words < kLeastWords) return;
  expect(matrix.source == evidence->source && matrix.target == evidence->target,
         "evidence of the same pieces");
  double sum = 0;
  int64_t count = 0;
  for (std::size_t row = 0; row < length_before_end(matrix.target); ++row)
    if (const auto tau = kendall(matrix.row(row).first(words), evidence->row(row).first(words))) {
      sum += *tau;
      ++count;
    }
  if (count > 0) to.push_back(sum / static_cast<double>(count));
}

void add_entropy(const AttentionMatrix& matrix, std::vector<double>& to) {
  const std::size_t rows = length_before_end(matrix.target);
  double sum = 0;
  for (std::size_t row = 0; row < rows; ++row)
    for (const double weight : matrix.row(row))
      if (weight > 0) sum -= weight * std::log(weight);
  if (rows > 0) to.push_back(sum / static_cast<double>(rows));
}

std::string mean_text(const std::vector<double>& values, int digits) {
  const auto mean = mean_of(values);
  return mean ? mean_text(*mean, digits) : "";
}

/// Returns the names of a row: evidence, layer and head.
std::vector<std::string> names_of(const FaithfulRow& row) {
  if (row.kind != AttentionKind::cross) return {config::name_of(row.kind), "", ""};
  return {"attention", std::to_string(row.layer), head_name(row.head)};
}

bool is_measure(const FaithfulRow& row) {
  return row.kind == AttentionKind::saliency || row.kind == AttentionKind::erasure;
}

bool is_as_high(const std::optional<Mean>& tau, const std::optional<Mean>& measure) {
  return tau && measure && tau->interval.low > 0 && tau->interval.high >= measure->interval.low;
}

Belief belief_of(const Picture& picture, const std::optional<Mean>& measure) {
  if (is_measure(picture.row)) return Belief::measure;
  const bool agrees = is_as_high(picture.saliency, measure) && is_as_high(picture.erasure, measure);
  const bool moves = picture.moved && picture.moved->value >= kMoves;
  if (agrees) return moves ? Belief::believed : Belief::agrees;
  return moves ? Belief::moves : Belief::neither;
}

/// Returns the lower one of the picture's taus.
double agreement(const Picture& picture) {
  const auto value = [](const std::optional<Mean>& tau) { return tau ? tau->value : 1; };
  return std::min(value(picture.saliency), value(picture.erasure));
}

bool repeats_its_only_head(const FaithfulRow& row, const FaithfulReport& report) {
  return row.kind == AttentionKind::cross && row.head < 0 &&
         std::ranges::count_if(report.rows(), [&](const FaithfulRow& other) {
           return other.kind == AttentionKind::cross && other.layer == row.layer && other.head >= 0;
         }) == 1;
}

std::string change_text(double value, const score::Interval& interval, int digits) {
  return fmt::format("{} ({})", score::with_sign(value, digits),
                     score::with_signs(interval, digits));
}

}  // namespace

std::optional<double> kendall(std::span<const float> a, std::span<const float> b) {
  expect(a.size() == b.size(), "two rankings of the same words");
  int64_t order = 0, in_a = 0, in_b = 0;
  const auto sign = [](float x, float y) { return (x > y) - (x < y); };
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const int of_a = sign(a[i], a[j]), of_b = sign(b[i], b[j]);
      order += of_a * of_b;
      in_a += of_a != 0;
      in_b += of_b != 0;
    }
  if (in_a == 0 || in_b == 0) return std::nullopt;
  return static_cast<double>(order) /
         std::sqrt(static_cast<double>(in_a) * static_cast<double>(in_b));
}

std::optional<Mean> mean_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  const auto count = static_cast<double>(values.size());
  Random random(kSeed);
  std::vector<double> means;
  for (int64_t draw = 0; draw < kResamples; ++draw) {
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) sum += values[random.below(values.size())];
    means.push_back(sum / count);
  }
  return Mean{.value = std::accumulate(values.begin(), values.end(), 0.0) / count,
              .interval = score::middle_95(std::move(means))};
}

std::string mean_text(const Mean& mean, int digits) {
  return fmt::format("{} ({} to {})", fixed(mean.value, digits), fixed(mean.interval.low, digits),
                     fixed(mean.interval.high, digits));
}

void FaithfulReport::add(const FaithfulSentence& sentence, const std::string& where) {
  if (sentence.attention.empty() && sentence.evidence.empty()) return;
  ++sentences_;
  has_gold_ |= sentence.gold != nullptr;
  const auto evidence = [&](AttentionKind kind) -> const AttentionMatrix* {
    const auto found = std::ranges::find(sentence.evidence, kind, &AttentionMatrix::kind);
    return found == sentence.evidence.end() ? nullptr : &*found;
  };
  const auto note = [&](const AttentionMatrix& matrix) {
    FaithfulRow& row = row_for(matrix, rows_);
    add_entropy(matrix, row.entropy);
    if (matrix.kind != AttentionKind::saliency)
      add_agreement(matrix, evidence(AttentionKind::saliency), row.saliency);
    if (matrix.kind != AttentionKind::erasure)
      add_agreement(matrix, evidence(AttentionKind::erasure), row.erasure);
    if (sentence.gold == nullptr) return;
    const AttentionMatrix words = merge_words(matrix);
    require_inside(*sentence.gold, length_before_end(words.source), length_before_end(words.target),
                   where);
    row.aligned.add(word_alignment(matrix, /*reads=*/false), *sentence.gold);
  };
  for (const AttentionMatrix& matrix : sentence.attention) note(matrix);
  for (const AttentionMatrix& matrix : sentence.evidence) note(matrix);
  for (const PermutedHead& head : sentence.permuted) {
    const AttentionMatrix which{.layer = head.layer, .head = head.head};
    row_for(which, rows_).moved.push_back(head.moved);
  }
}

std::string faithful_table(const FaithfulReport& report) {
  text::Table table{{"evidence", "layer", "head", "tau with saliency", "tau with erasure",
                     "entropy", "output moves"},
                    {}};
  if (report.has_gold()) table.columns.emplace_back("AER %");
  for (const FaithfulRow& row : report.rows()) {
    std::vector<std::string>& cells = table.rows.emplace_back(names_of(row));
    for (const auto* values : {&row.saliency, &row.erasure, &row.entropy})
      cells.push_back(mean_text(*values, 2));
    cells.push_back(mean_text(row.moved, 3));
    if (report.has_gold()) cells.push_back(fixed(100 * row.aligned.rate(), 1));
  }
  return text::table_text(table, {0, 1, 2});
}

std::string faithful_csv(const FaithfulReport& report) {
  text::Table table{{"evidence", "layer", "head"}, {}};
  for (const char* measure : {"saliency", "erasure", "entropy", "moved"})
    for (const char* part : {"", "_low", "_high"})
      table.columns.push_back(std::string(measure) + part);
  table.columns.emplace_back("aer");
  for (const FaithfulRow& row : report.rows()) {
    std::vector<std::string>& cells = table.rows.emplace_back(names_of(row));
    for (const auto* values : {&row.saliency, &row.erasure, &row.entropy, &row.moved}) {
      const Mean mean = mean_of(*values).value_or(Mean{});
      for (const double number : {mean.value, mean.interval.low, mean.interval.high})
        cells.push_back(values->empty() ? "" : fixed(number, 5));
    }
    cells.push_back(report.has_gold() ? fixed(row.aligned.rate(), 5) : "");
  }
  return text::table_csv(table);
}

Pictures judge(const FaithfulReport& report) {
  Pictures out;
  const auto saliency =
      std::ranges::find(report.rows(), AttentionKind::saliency, &FaithfulRow::kind);
  if (saliency != report.rows().end()) out.measure = mean_of(saliency->erasure);
  for (const FaithfulRow& row : report.rows()) {
    if (repeats_its_only_head(row, report)) continue;
    Picture picture{.row = row,
                    .saliency = mean_of(row.saliency),
                    .erasure = mean_of(row.erasure),
                    .entropy = mean_of(row.entropy),
                    .moved = mean_of(row.moved)};
    picture.belief = belief_of(picture, out.measure);
    out.all.push_back(std::move(picture));
  }
  std::ranges::stable_sort(out.all, {}, [](const Picture& picture) {
    return std::tuple(picture.belief, -agreement(picture));
  });
  return out;
}

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
      const auto draws = score::bootstrap(both, kResamples, kSeed);
      row.bleu = score::bleu(score::sum(trial.bleu)).score;
      row.bleu_change = score::compare_draws(draws[1], draws[0],
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
    std::vector<std::string>& cells = table.rows.emplace_back(std::vector{row.name});
    for (const double value : {row.loss.value, row.loss.interval.low, row.loss.interval.high})
      cells.push_back(fixed(value, 6));
    if (const auto& change = row.bleu_change)
      for (const double value : {row.bleu, change->difference, change->interval.low,
                                 change->interval.high, change->p_value})
        cells.push_back(fixed(value, 4));
    cells.resize(table.columns.size());
  }
  return text::table_csv(table);
}

}  // namespace heed::study
