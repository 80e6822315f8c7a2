// The page that `heed bottleneck` leaves: the curve, the table, the pictures, and how to get them
// again.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "score/lengths.h"
#include "score/sacrebleu.h"
#include "study/attention_matrix.h"

namespace heed::draw {

struct ReportSystem {
  std::string name;                                        // as in the length report
  std::string description;                                 // one line: what this model is
  std::vector<std::pair<std::string, std::string>> facts;  // "parameters" -> "3.05M", in order
  std::vector<score::Score> scores;                        // on the whole test set
  std::optional<study::AttentionMatrix> attention;         // one sentence; none for a model without
};

struct ReportSample {
  std::string source, reference;
  std::vector<std::pair<std::string, std::string>> translations;  // system -> text
};

struct Report {
  std::string title, introduction;
  score::LengthReport lengths;
  std::vector<ReportSystem> systems;
  std::vector<ReportSample> samples;
  std::vector<std::string> commands;  // as typed
  std::vector<std::string> notes;     // machine, versions, warnings; one line each
};

/// One HTML file without outside parts; reads well on a phone and on paper.
std::string report_page(const Report& report);

/// One sentence: what the longest bucket with sentences says about the baseline and the best other
/// system; "" where there is no baseline.
std::string headline(const score::LengthReport& report);

}  // namespace heed::draw
