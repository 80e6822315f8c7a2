// BLEU from counts per sentence, as sacrebleu defines it (Papineni et al. 2002; tokeniser
// mteval-v13a; smoothing "exp" of Chen and Cherry 2014, method 3). Scores that heed reports come
// from sacrebleu itself; these counts make a thousand bootstrap draws cheap, and tests hold the two
// equal. Also words that are said too often and words that are missing: what coverage is for (Tu et
// al. 2016).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed::score {

/// Returns part / whole; 0 where `whole` is 0.
inline double ratio(int64_t part, int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

inline constexpr int kBleuOrder = 4;

/// The counts of one sentence that BLEU needs, or their sums over many sentences.
struct BleuStatistics {
  int64_t hypothesis_length = 0, reference_length = 0;  // tokens
  std::array<int64_t, kBleuOrder> matches{}, totals{};  // n-grams of order 1..4

  BleuStatistics& operator+=(const BleuStatistics& other);
};

struct BleuScore {
  double score = 0;            // 0..100
  double brevity_penalty = 0;  // 0..1
  double length_ratio = 0;     // hypothesis / reference tokens; 0 where the reference is empty
};

/// BLEU = BP * exp(mean of log precisions); a precision without a match counts 1 / (2^k * total),
/// k-th such order.
BleuScore bleu(const BleuStatistics& sum);

/// Whether this file knows sacrebleu's tokeniser of that name: 13a, char, none.
bool knows_tokenizer(std::string_view name);

/// Char where the lines are written without blanks between words (text::are_unsegmented()),
/// else `wanted` where heed knows it, else 13a.
std::string known_tokenizer(const std::string& tokenizer, std::span<const std::string> lines);

/// The tokens that sacrebleu would count. Throws Bug for a tokeniser that knows_tokenizer denies.
std::vector<std::string> bleu_tokens(std::string_view line, std::string_view tokenizer,
                                     bool lowercase = false);

/// Throws UserError where the two differ in lines.
void require_references(std::span<const std::string> hypotheses,
                        std::span<const std::string> references);

/// Counts of each sentence pair. Throws UserError where the two differ in lines.
std::vector<BleuStatistics> bleu_statistics(std::span<const std::string> hypotheses,
                                            std::span<const std::string> references,
                                            std::string_view tokenizer = "13a",
                                            bool lowercase = false);

BleuStatistics sum(std::span<const BleuStatistics> sentences);

struct WordCounts {
  int64_t reference = 0;  // words of the references
  int64_t repeated = 0;   // that a translation has twice or more, and more often than its reference
  int64_t dropped = 0;    // of the references that are missing, or too few, in the translations

  double repeated_share() const { return ratio(repeated, reference); }
  double dropped_share() const { return ratio(dropped, reference); }
};

/// Line by line; words as BLEU counts them. Throws UserError where the two differ in lines.
WordCounts word_counts(std::span<const std::string> hypotheses,
                       std::span<const std::string> references, std::string_view tokenizer = "13a",
                       bool lowercase = false);

// Bootstrap resampling of corpus BLEU (Koehn 2004): intervals of one system, paired comparison of
// two. Proportions with their intervals.

struct Interval {
  double low = 0, high = 0;
};

/// BLEU of each system in each draw: [systems][draws]. Every system sees the same draws, so
/// differences are paired. The same seed and number of sentences give the same draws on every
/// machine. `systems` hold statistics of the same sentences in the same order; at least one
/// sentence.
std::vector<std::vector<double>> bootstrap(std::span<const std::vector<BleuStatistics>> systems,
                                           int64_t draws, uint64_t seed);

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

/// Returns a number as "+0.31" or "-0.20".
std::string with_sign(double value, int digits);
/// Returns an interval as "-0.20 to +0.31".
std::string with_signs(const Interval& interval, int digits);

/// Returns "p = 0.012", or "p < 0.001".
std::string p_text(double p_value);

struct Proportion {
  std::size_t hits = 0, of = 0;

  void add(bool hit) {
    hits += hit ? 1 : 0;
    ++of;
  }
  /// Returns the fraction, 0..1; 0 where there was nothing to hit.
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
