// The `evaluation` section.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/schema.h"
#include "score/metrics.h"

namespace heed::score {

inline const std::vector<std::string>& ter_options() {
  static const std::vector<std::string> names = {"asian-support", "normalized", "no-punct",
                                                 "case-sensitive"};
  return names;
}

/// Returns a sentence about the metrics that sacrebleu can compute.
const std::string& metrics_help();

struct EvaluationConfig {
  HEED_CONFIG(EvaluationConfig);
  HEED_FREE(std::vector<std::string>, metrics, (std::vector<std::string>{"bleu", "chrf"}),
            metrics_help())
  HEED_FREE(std::string, tokenize, "13a",
            "sacrebleu's tokeniser for BLEU: 13a, intl, zh, ja-mecab, ko-mecab, char, none, ... "
            "Text without blanks between words needs zh, ja-mecab or char.")
  HEED_FREE(int64_t, chrf_word_order, 0,
            "Longest word n-grams that chrF counts besides characters. 2: chrF++.",
            config::Between<int64_t>{0, 6})
  HEED_FREE(std::vector<std::string>, ter, std::vector<std::string>{},
            "Options of TER: asian-support (Chinese and Japanese, with normalized), normalized, "
            "no-punct, case-sensitive.",
            config::EachOneOf{ter_options})
  HEED_FREE(bool, lowercase, false, "Score without regard to case.")
  HEED_FREE(std::vector<int64_t>, length_buckets, (std::vector<int64_t>{10, 20, 30, 40, 50, 60}),
            "Upper ends, in source words, of the buckets of `heed lengths`. Longer sentences are "
            "in one more bucket.",
            config::EachBetween<int64_t>{1, 100000})
  HEED_FREE(std::vector<std::string>, references, {},
            "Files of more translations of data.test, line by line: its scores compare with these "
            "and with data.test.target.")
  HEED_FREE(std::vector<std::string>, valid_references, {}, "The same for data.valid.")
  HEED_FREE(std::string, alignments, "",
            "File of the correct word alignments of data.test, Pharaoh i-j: `heed bottleneck` then "
            "reports the alignment error rate of each model's attention.")
  HEED_FREE(std::string, valid_alignments, "",
            "The same for data.valid: they choose the layer, head and step that are measured. "
            "Without them those that were taught are measured, or the mean of the heads in the "
            "layer before the last.")
  HEED_FREE(bool, one_based, false,
            "The words of alignments and valid_alignments are counted from 1 instead of 0.")
  HEED_FREE(std::string, antecedents, "",
            "File of what the pronouns of data.test stand for, as data_scripts/demo_corpus.py "
            "writes it: `heed bottleneck` then reports how many genders are right.")
  HEED_FREE(std::vector<std::string>, pronouns, std::vector<std::string>{},
            "The target language's pronouns as gender=form, for evaluation.antecedents.")
  HEED_FREE(int64_t, bootstrap, 1000, "Resamplings for each interval. 0: no intervals.",
            config::Between<int64_t>{0, 1000000})
};

/// Checks the rules between fields. Throws ConfigError.
void check(const EvaluationConfig& config);

}  // namespace heed::score
