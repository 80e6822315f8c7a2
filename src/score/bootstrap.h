// Bootstrap resampling of corpus BLEU (Koehn 2004): intervals of one system, paired comparison of
// two. Proportions with their intervals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "score/bleu_statistics.h"

namespace heed::score {

struct Interval {
  double low = 0, high = 0;
};

/// BLEU of each system in each draw: scores[system][draw]. Every system sees the same draws, so
/// differences are paired. The same seed and number of sentences give the same draws on every
/// machine.
struct Resamples {
  std::vector<std::vector<double>> scores;
};

/// `systems` hold statistics of the same sentences in the same order; at least one sentence.
Resamples bootstrap(std::span<const std::vector<BleuStatistics>> systems, int64_t draws,
                    uint64_t seed);

/// The middle 95 %: the draws of rank n/40 from either end. `values` must not be empty.
Interval middle_95(std::vector<double> values);

struct Comparison {
  double difference = 0;  // system - baseline, on the whole
  Interval interval;      // middle 95 % of the differences over draws
  double wins = 0;        // share of draws in which the system is above the baseline
  double p_value =
      1;  // two-sided: how often a centred difference is at least as large as the real one
};

/// `system` and `baseline` are scores of the same draws; `difference` is the one on the undrawn
/// sentences. Draws that all differ alike, as those of one sentence, have p = 1.
Comparison compare_draws(std::span<const double> system, std::span<const double> baseline,
                         double difference);

/// Two-sided p of approximate randomisation (Riezler and Maxwell 2005): how often two systems
/// differ in BLEU as much as these if each sentence's outputs are exchanged or not at random.
double approximate_randomisation(std::span<const BleuStatistics> system,
                                 std::span<const BleuStatistics> baseline, int64_t trials,
                                 uint64_t seed);

/// "+0.31", "-0.20".
std::string with_sign(double value, int digits);
/// "-0.20 to +0.31".
std::string with_signs(const Interval& interval, int digits);

/// "p = 0.012", or "p < 0.001".
std::string p_text(double p_value);

struct Proportion {
  std::size_t hits = 0, of = 0;

  void add(bool hit) {
    hits += hit ? 1 : 0;
    ++of;
  }
  /// 0..1; 0 where there was nothing to hit.
  double value() const;
  /// Whether at least `percent` % are hits; of nothing, only 0 % are.
  bool reaches(double percent) const;
  /// Wilson's 95 % interval (1927) of the share, 0..1: sound for few trials and near 0 and 1, too.
  Interval interval() const;
};

/// The name, `of`, `hits`, the share in per cent and its interval.
std::vector<std::string> row_of(const std::string& name, const Proportion& share);

/// Whether `part` is at least `percent` % of `whole`. Nothing is divided, which rounds: 57 of 100
/// are 57 %, and every number is 100 % of itself.
bool at_least_percent(double part, double percent, double whole);

}  // namespace heed::score
