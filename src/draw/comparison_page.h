// The page and the JSON of `heed compare`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "score/bleu_statistics.h"
#include "score/lengths.h"
#include "score/sacrebleu.h"
#include "study/comparison.h"

namespace heed::draw {

/// A system less the first one.
struct ComparedToFirst {
  std::optional<double> bleu;  // nothing where only sacrebleu has the tokeniser, nor the two tests
  std::optional<score::Comparison> bootstrap;  // paired; nothing with evaluation.bootstrap: 0
  std::optional<double> randomisation;         // p of approximate randomisation
  study::NgramDifferences ngrams;              // `first`: what the first system gets right
  int64_t better = 0, worse = 0;               // sentences, by chrF2
};

struct ComparedSystem {
  std::string name;
  std::vector<score::Score> scores;              // on all lines
  std::optional<ComparedToFirst> to_first = {};  // nothing for the first itself
};

struct ComparedOutput {
  std::string text;
  double chrf = 0;  // chrF2
  std::vector<study::TextPart> parts;
};

struct ComparedSentence {
  std::size_t line = 0;  // from 0
  std::string source, reference;
  std::vector<ComparedOutput> outputs = {};  // of each system
};

struct ComparisonReport {
  std::string title;
  std::vector<ComparedSystem> systems;  // two or more
  std::optional<score::LengthReport> lengths;
  std::string counted_in;  // where word frequencies are from
  std::vector<study::FrequencyBucket> frequencies;
  std::vector<ComparedSentence> sentences;
  std::vector<std::string> notes;
};

/// One HTML file without outside parts.
std::string comparison_page(const ComparisonReport& report);

/// All numbers and sentences of it.
std::string comparison_json(const ComparisonReport& report);

/// Scores and tests for a terminal.
std::string comparison_table(const ComparisonReport& report);

}  // namespace heed::draw
