#include "score/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/error.h"
#include "base/random.h"
#include "base/strings.h"

namespace heed::score {

Resamples bootstrap(std::span<const std::vector<BleuStatistics>> systems, int64_t draws,
                    uint64_t seed) {
  expect(!systems.empty() && !systems[0].empty(), "a bootstrap needs sentences");
  const std::size_t sentences = systems[0].size();
  for (const auto& system : systems)
    expect(system.size() == sentences, "systems of one bootstrap share their sentences");
  Random random(seed);
  Resamples result{.scores = std::vector<std::vector<double>>(systems.size())};
  std::vector<BleuStatistics> sums(systems.size());
  for (int64_t draw = 0; draw < draws; ++draw) {
    std::fill(sums.begin(), sums.end(), BleuStatistics{});
    for (std::size_t i = 0; i < sentences; ++i) {
      const auto sentence = static_cast<std::size_t>(random.below(sentences));
      for (std::size_t s = 0; s < systems.size(); ++s) sums[s] += systems[s][sentence];
    }
    for (std::size_t s = 0; s < systems.size(); ++s)
      result.scores[s].push_back(bleu(sums[s]).score);
  }
  return result;
}

Interval middle_95(std::vector<double> values) {
  expect(!values.empty(), "an interval needs draws");
  std::sort(values.begin(), values.end());
  const std::size_t tail = values.size() / 40;
  return {values[tail], values[values.size() - 1 - tail]};
}

Comparison compare_draws(std::span<const double> system, std::span<const double> baseline,
                         double difference) {
  expect(!system.empty() && system.size() == baseline.size(), "paired draws are equal in number");
  std::vector<double> differences(system.size());
  std::transform(system.begin(), system.end(), baseline.begin(), differences.begin(),
                 std::minus<>());
  const auto [least, most] = std::ranges::minmax(differences);
  const bool vary = most > least;  // else, as with one sentence, no draw tells anything of chance
  const double count = static_cast<double>(differences.size());
  const double mean = std::accumulate(differences.begin(), differences.end(), 0.0) / count;
  double wins = 0, as_large = 0;
  for (const double d : differences) {
    wins += d > 0;
    as_large += std::abs(d - mean) >= std::abs(difference);
  }
  return {.difference = difference,
          .interval = middle_95(std::move(differences)),
          .wins = wins / count,
          .p_value = vary ? (as_large + 1) / (count + 1) : 1};
}

double approximate_randomisation(std::span<const BleuStatistics> system,
                                 std::span<const BleuStatistics> baseline, int64_t trials,
                                 uint64_t seed) {
  expect(system.size() == baseline.size(), "paired sentences are equal in number");
  const double real = std::abs(bleu(sum(system)).score - bleu(sum(baseline)).score);
  Random random(seed);
  int64_t as_large = 0;
  for (int64_t trial = 0; trial < trials; ++trial) {
    BleuStatistics one, other;
    for (std::size_t i = 0; i < system.size(); ++i) {
      const bool exchanged = random.next() >> 63 != 0;
      one += exchanged ? baseline[i] : system[i];
      other += exchanged ? system[i] : baseline[i];
    }
    // Equal outputs in another order of sums are no larger difference.
    as_large += std::abs(bleu(one).score - bleu(other).score) >= real - 1e-9;
  }
  return static_cast<double>(as_large + 1) / static_cast<double>(trials + 1);
}

std::string with_sign(double value, int digits) {
  return (value > 0 ? "+" : "") + fixed(value, digits);
}

std::string with_signs(const Interval& interval, int digits) {
  return with_sign(interval.low, digits) + " to " + with_sign(interval.high, digits);
}

std::string p_text(double p_value) {
  return p_value < 0.001 ? "p < 0.001" : "p = " + fixed(p_value, 3);
}

double Proportion::value() const {
  return of == 0 ? 0 : static_cast<double>(hits) / static_cast<double>(of);
}

bool Proportion::reaches(double percent) const {
  if (of == 0) return percent <= 0;
  return at_least_percent(static_cast<double>(hits), percent, static_cast<double>(of));
}

Interval Proportion::interval() const {
  if (of == 0) return {0, 1};
  constexpr double kNormal = 1.959963984540054;  // 97.5 % of a normal distribution lies below
  const double n = static_cast<double>(of), p = value(), z2 = kNormal * kNormal;
  const double middle = (p + z2 / (2 * n)) / (1 + z2 / n);
  const double half = kNormal / (1 + z2 / n) * std::sqrt(p * (1 - p) / n + z2 / (4 * n * n));
  return {std::max(middle - half, 0.0), std::min(middle + half, 1.0)};
}

std::vector<std::string> row_of(const std::string& name, const Proportion& share) {
  const Interval interval = share.interval();
  return {name, std::to_string(share.of), std::to_string(share.hits), fixed(100 * share.value(), 2),
          fixed(100 * interval.low, 2) + " .. " + fixed(100 * interval.high, 2)};
}

bool at_least_percent(double part, double percent, double whole) {
  return 100 * part >= percent * whole;
}

}  // namespace heed::score
