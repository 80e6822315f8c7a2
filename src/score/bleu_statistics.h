// BLEU from counts per sentence, as sacrebleu defines it (Papineni et al. 2002; tokeniser
// mteval-v13a; smoothing "exp" of Chen and Cherry 2014, method 3). Scores that heed reports come
// from sacrebleu itself; these counts make a thousand bootstrap draws cheap, and tests hold the two
// equal. Also words that are said too often and words that are missing: what coverage is for (Tu et
// al. 2016).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed::score {

inline constexpr int kBleuOrder = 4;

/// What BLEU needs to know of one sentence, or the sum over many.
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

/// Char where the lines are written without blanks between words (text::are_written_together()),
/// else `wanted` where heed knows it, else 13a.
std::string known_tokenizer(const std::string& wanted, std::span<const std::string> lines);

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

  double repeated_share() const;  // of the references' words
  double dropped_share() const;
};

/// Line by line; words as BLEU counts them. Throws UserError where the two differ in lines.
WordCounts word_counts(std::span<const std::string> hypotheses,
                       std::span<const std::string> references, std::string_view tokenizer = "13a",
                       bool lowercase = false);

}  // namespace heed::score
