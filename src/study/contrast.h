// Contrastive evaluation (Sennrich 2017; ContraPro, Müller et al. 2018): how often a model gives
// the right translation a better score than each of the wrong ones.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "score/bleu_statistics.h"

namespace heed::study {

/// One source sentence with its translations.
struct Contrast {
  std::size_t line = 0;  // of the right translation in its file, from 0
  std::string label;     // the label under which it is counted, or ""
  double right = 0;      // scores: more is better
  std::vector<double> wrong;

  /// Whether the right translation is strictly better than every wrong one.
  bool resolved() const;
};

/// Groups the lines of a file that holds right and wrong translations below one another. `correct`
/// is 1 for a right line and 0 for a wrong one; lines of one sentence stand together and hold one
/// right line. They are told apart by equal texts in `group` or, where that is empty, each right
/// line begins the next sentence. Returns for each group its right line, then the wrong ones,
/// counted from 0. Throws UserError, naming `name` and the line, for a group without a right line
/// or with two, or with no wrong one.
std::vector<std::vector<std::size_t>> group_contrasts(const std::vector<std::string>& correct,
                                                      const std::vector<std::string>& group,
                                                      const std::string& name);

struct ContrastReport {
  score::Proportion all;
  std::map<std::string, score::Proportion> by_label;  // empty where no sentence has one
};
ContrastReport measure_contrasts(const std::vector<Contrast>& contrasts);

/// Returns a table to be read: a line for all, and one per label.
std::string contrast_table(const ContrastReport& report);
std::string contrast_json(const ContrastReport& report);
/// line,label,right,best_wrong,resolved: one row per sentence.
std::string contrast_csv(const std::vector<Contrast>& contrasts);

}  // namespace heed::study
