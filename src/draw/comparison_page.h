// The page and the JSON of `heed compare`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "draw/report.h"

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

struct ComparisonReport {
  std::string title;
  std::vector<ComparedSystem> systems;  // two or more
  std::optional<score::LengthReport> lengths;
  std::string counted_in;  // where word frequencies are from
  std::vector<study::FrequencyBucket> frequencies;
  std::vector<ReportSentence> sentences;
  std::vector<std::string> notes;
};

/// One HTML file without outside parts.
std::string comparison_page(const ComparisonReport& report);

/// All numbers and sentences of it.
std::string comparison_json(const ComparisonReport& report);

/// Scores and tests for a terminal.
std::string comparison_table(const ComparisonReport& report);

}  // namespace heed::draw
