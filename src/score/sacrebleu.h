// The scorer whose numbers heed reports: sacrebleu, run as a program, so that they are comparable
// with everybody's; and which of its tokenisers finds words in a text: BLEU is 0 where a line is
// one word.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "score/config.h"
#include "score/metrics.h"

namespace heed::score {

struct Score {
  Metric metric;
  std::string name;  // as sacrebleu spells it: BLEU, chrF2, TER
  double value = 0;
  std::string signature;
  // BLEU only:
  std::optional<double> brevity_penalty;
  std::optional<int64_t> hypothesis_length, reference_length;  // tokens
};

/// The program: $HEED_SACREBLEU, else the one that was installed with heed, else `sacrebleu` on
/// PATH, else .venv/bin/sacrebleu in a folder above this executable or above the working directory.
/// Throws Failure with the cure where there is none.
std::string find_sacrebleu();

/// Corpus scores of the configured metrics, in their order; one run of the program. `lowercase`
/// concerns BLEU and chrF; TER ignores case, as it does by default. Empty lines count as empty
/// translations, bytes that are no UTF-8 as U+FFFD. What sacrebleu warns of is logged. Throws
/// UserError where the two differ in lines or there are none, or a metric or tokeniser is unknown;
/// Failure where the program is missing or fails. `more`: further references of all lines.
std::vector<Score> score(std::span<const std::string> hypotheses,
                         std::span<const std::string> references, const EvaluationConfig& config,
                         std::span<const std::vector<std::string>> more = {});

/// Scores one line, so that what score() would refuse is said before hours of training. Throws what
/// score() throws.
void check_evaluation(const EvaluationConfig& config);

/// `BLEU 34.21 (BP 0.98, nrefs:1|case:mixed|...)`: a score and how it was made.
std::string describe(const Score& score);

/// Returns the tokenizer for a text in the script of its letters: zh (Chinese), ja-mecab (Japanese:
/// kana among them), ko-mecab (Korean), char (Thai and others without blanks), and 13a for all
/// others and for text that was segmented by blanks.
std::string fitting_tokenizer(std::span<const std::string> lines);

/// Returns the mistake with its cure where BLEU is a metric and `tokenize` finds no words in lines
/// that are written without blanks between words (text::are_unsegmented()). `name` is theirs.
std::optional<std::string> tokenizer_doubt(std::span<const std::string> lines,
                                           const EvaluationConfig& config, const std::string& name);

}  // namespace heed::score
