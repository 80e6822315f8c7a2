#include "score/lengths.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>

#include "base/error.h"
#include "base/strings.h"
#include "text/table.h"
#include "text/words.h"

namespace heed::score {
namespace {

using Lines = std::vector<std::string>;                       // or fields of a row
using Statistics = std::vector<std::vector<BleuStatistics>>;  // [system][sentence]

// BLEU of our counts and sacrebleu's are the same number; more than rounding apart means another
// definition.
constexpr double kAgreement = 0.01;

void check_inputs(const Lines& sources, const Lines& references,
                  const std::vector<SystemOutput>& systems) {
  if (systems.empty()) throw UserError("there is no system to score");
  const auto demand = [&](const std::string& what, std::size_t lines) {
    if (lines == sources.size()) return;
    throw UserError("the source has {} and {} has {}; line i of one must belong to line i",
                    counted(static_cast<int64_t>(sources.size()), "line"), what, lines);
  };
  demand("the reference", references.size());
  for (const SystemOutput& system : systems)
    demand(fmt::format("the output of '{}'", system.name), system.hypotheses.size());
}

template <class T>
std::vector<T> pick(const std::vector<T>& all, const std::vector<std::size_t>& indices) {
  std::vector<T> out;
  out.reserve(indices.size());
  for (const std::size_t i : indices) out.push_back(all[i]);
  return out;
}

Bucket everything(const std::vector<Bucket>& buckets) {
  Bucket all{.low = 0};
  for (const Bucket& bucket : buckets) {
    all.sentences.insert(all.sentences.end(), bucket.sentences.begin(), bucket.sentences.end());
    all.source_words += bucket.source_words;
  }
  std::sort(all.sentences.begin(), all.sentences.end());
  return all;
}

// Scores of all systems on one bucket from counts, with intervals from shared draws.
std::vector<BucketScore> score_bucket(const Bucket& bucket, const Statistics& statistics,
                                      const EvaluationConfig& config,
                                      std::optional<std::size_t> baseline) {
  Statistics inside;
  std::vector<BucketScore> scores;
  for (const auto& system : statistics) {
    inside.push_back(pick(system, bucket.sentences));
    scores.push_back({.bleu = bleu(sum(inside.back()))});
  }
  if (config.bootstrap == 0) return scores;
  const auto draws = bootstrap(inside, config.bootstrap, /*seed=*/1);
  for (std::size_t s = 0; s < scores.size(); ++s) {
    scores[s].interval = middle_95(draws[s]);
    if (!baseline || s == *baseline) continue;
    scores[s].against_baseline = compare_draws(draws[s], draws[*baseline],
                                               scores[s].bleu.score - scores[*baseline].bleu.score);
  }
  return scores;
}

Score sacrebleu_of(const Lines& hypotheses, const Lines& references, EvaluationConfig config) {
  config.metrics = {"bleu"};
  return score(hypotheses, references, config).at(0);
}

BleuScore from_sacrebleu(const Score& score) {
  return {.score = score.value,
          .brevity_penalty = score.brevity_penalty.value_or(0),
          .length_ratio =
              ratio(score.hypothesis_length.value_or(0), score.reference_length.value_or(0))};
}

// Computes the scores with tokenisers that only sacrebleu has: one run per system and bucket, no
// intervals.
std::vector<BucketScore> score_outside(const Bucket& bucket,
                                       const std::vector<SystemOutput>& systems,
                                       const Lines& references, const EvaluationConfig& config) {
  std::vector<BucketScore> scores;
  for (const SystemOutput& system : systems) {
    scores.push_back(
        {.bleu = from_sacrebleu(sacrebleu_of(pick(system.hypotheses, bucket.sentences),
                                             pick(references, bucket.sentences), config))});
  }
  return scores;
}

void cross_check(LengthReport& report, const Statistics& statistics) {
  for (std::size_t s = 0; s < statistics.size(); ++s) {
    const double own = bleu(sum(statistics[s])).score;
    const SystemLengths& system = report.systems[s];
    if (std::abs(own - system.overall.value) <= kAgreement) continue;
    report.warnings.push_back(
        fmt::format("system '{}': the buckets rest on BLEU {}, sacrebleu says {}; this sacrebleu "
                    "defines BLEU in another way",
                    system.name, fixed(own, 2), fixed(system.overall.value, 2)));
  }
}

void count_blank_sources(LengthReport& report, std::size_t lines) {
  const std::size_t blank = lines - report.all.sentences.size();
  if (blank == 0) return;
  report.warnings.push_back(std::to_string(blank) +
                            " source lines have no words and belong to no bucket");
}

Lines csv_row(const SystemLengths& system, const Bucket& bucket,
              const std::optional<BucketScore>& score) {
  Lines row = {system.name, std::to_string(bucket.low),
               bucket.high ? std::to_string(*bucket.high) : "inf",
               std::to_string(bucket.sentences.size()), std::to_string(bucket.source_words)};
  if (score)
    row.insert(row.end(),
               {fixed(score->bleu.score, 2), score->interval ? fixed(score->interval->low, 2) : "",
                score->interval ? fixed(score->interval->high, 2) : "",
                fixed(score->bleu.brevity_penalty, 4), fixed(score->bleu.length_ratio, 4)});
  row.resize(10);
  return row;
}

Lines table_row(const std::string& name, const Bucket& bucket,
                const std::optional<BucketScore>& score) {
  Lines row = {name, bucket.label(), std::to_string(bucket.sentences.size()),
               std::to_string(bucket.source_words)};
  if (!score) {
    row.insert(row.end(), {"-", "", "", "", ""});
    return row;
  }
  std::string interval, test;
  if (score->interval)
    interval = fixed(score->interval->low, 2) + " .. " + fixed(score->interval->high, 2);
  if (const auto& against = score->against_baseline)
    test = fmt::format("{}, wins {} %, {}", with_sign(against->difference, 2),
                       fixed(100 * against->wins, 1), p_text(against->p_value));
  row.insert(row.end(),
             {fixed(score->bleu.score, 2), interval, fixed(score->bleu.brevity_penalty, 3),
              fixed(score->bleu.length_ratio, 3), test});
  return row;
}

}  // namespace

void check_names(const std::vector<std::string>& names, const std::string& baseline) {
  std::set<std::string> known;
  for (const std::string& name : names)
    if (!known.insert(name).second)
      throw UserError("two systems are called '{}'; give each its own name", name);
  if (!baseline.empty() && !known.contains(baseline))
    throw UserError("the baseline '{}' is none of the systems: {}", baseline, join(names, ", "));
}

std::string Bucket::label() const {
  if (low == 0) return "all";
  return high ? fmt::format("{}-{}", low, *high) : fmt::format("> {}", low - 1);
}

std::vector<Bucket> make_buckets(const Lines& sources, const std::vector<int64_t>& upper_ends) {
  const std::set<int64_t> ends(upper_ends.begin(), upper_ends.end());
  std::vector<Bucket> buckets;
  int64_t low = 1;
  for (const int64_t high : ends) {
    buckets.push_back({.low = low, .high = high});
    low = high + 1;
  }
  buckets.push_back({.low = low});
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const int64_t words = text::count_words(sources[i]);
    if (words == 0) continue;
    const auto end = ends.lower_bound(words);  // the first upper end that is not below
    Bucket& bucket = buckets[static_cast<std::size_t>(std::distance(ends.begin(), end))];
    bucket.sentences.push_back(i);
    bucket.source_words += words;
  }
  return buckets;
}

LengthReport measure_lengths(const Lines& sources, const Lines& references,
                             const std::vector<SystemOutput>& systems,
                             const EvaluationConfig& config, const std::string& baseline) {
  check_inputs(sources, references, systems);
  Lines names;
  for (const SystemOutput& system : systems) names.push_back(system.name);
  check_names(names, baseline);
  LengthReport report{.buckets = make_buckets(sources, config.length_buckets),
                      .baseline = baseline};
  if (text::are_unsegmented(sources)) report.unit = "characters";
  report.all = everything(report.buckets);
  if (report.all.sentences.empty()) throw UserError("the source has no line with words");
  for (const SystemOutput& system : systems) {
    report.systems.push_back(
        {.name = system.name, .overall = sacrebleu_of(system.hypotheses, references, config)});
  }
  Statistics statistics;
  if (knows_tokenizer(config.tokenize)) {
    for (const SystemOutput& system : systems) {
      statistics.push_back(
          bleu_statistics(system.hypotheses, references, config.tokenize, config.lowercase));
    }
    cross_check(report, statistics);
  } else {
    report.warnings.push_back("no intervals: heed resamples with tokenize 13a, char or none, not " +
                              config.tokenize);
  }
  if (!baseline.empty() && (statistics.empty() || config.bootstrap == 0))
    report.warnings.push_back(
        fmt::format("scores by length are not compared with '{}': that needs evaluation.bootstrap "
                    "above 0, and evaluation.tokenize 13a, char or none",
                    baseline));
  count_blank_sources(report, sources.size());
  std::optional<std::size_t> compared;
  if (const auto found = std::ranges::find(names, baseline); found != names.end())
    compared = found - names.begin();
  const auto measure = [&](const Bucket& bucket) {
    return statistics.empty() ? score_outside(bucket, systems, references, config)
                              : score_bucket(bucket, statistics, config, compared);
  };
  for (const Bucket& bucket : report.buckets) {
    std::vector<BucketScore> scores;
    if (!bucket.sentences.empty()) scores = measure(bucket);
    for (std::size_t s = 0; s < systems.size(); ++s)
      report.systems[s].buckets.push_back(scores.empty() ? std::nullopt : std::optional(scores[s]));
  }
  const std::vector<BucketScore> all = measure(report.all);
  for (std::size_t s = 0; s < systems.size(); ++s) report.systems[s].all = all[s];
  return report;
}

std::string lengths_csv(const LengthReport& report) {
  text::Table table{{"system", "bucket_low", "bucket_high", "sentences", "source_words", "bleu",
                     "bleu_low", "bleu_high", "brevity_penalty", "length_ratio"},
                    {}};
  for (const SystemLengths& system : report.systems)
    for (std::size_t b = 0; b < report.buckets.size(); ++b)
      table.rows.push_back(csv_row(system, report.buckets[b], system.buckets[b]));
  return text::table_csv(table);
}

std::string lengths_table(const LengthReport& report) {
  text::Table table{
      {"system", report.unit, "sentences", "source " + report.unit, "BLEU", "95 % interval", "BP",
       "ratio", report.baseline.empty() ? "" : "against " + report.baseline},
      {}};
  for (const SystemLengths& system : report.systems) {
    for (std::size_t b = 0; b < report.buckets.size(); ++b)
      table.rows.push_back(table_row(system.name, report.buckets[b], system.buckets[b]));
    table.rows.push_back(table_row(system.name, report.all, system.all));
  }
  std::string out = text::table_text(table, {0, 1, 8});
  for (const SystemLengths& system : report.systems)
    out += system.name + ": " + describe(system.overall) + '\n';
  return out;
}

}  // namespace heed::score
