// Counts flaws in the corpora of a run before it begins.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "data/config.h"
#include "data/flaws.h"
#include "data/notice.h"
#include "data/slips.h"
#include "data/traces.h"
#include "text/copies.h"
#include "text/script.h"

namespace heed::data {

struct HygieneReport {
  /// The findings in one pair of files.
  struct Set {
    std::string key;             // data.train, data.train.1, data.valid, data.test
    std::string source, target;  // paths
    int64_t pairs = 0;
    int64_t links = 0;                                // links of words, where there is an alignment
    text::Script source_script = text::Script::none;  // of most lines
    text::Script target_script = text::Script::none;
    text::CopyLimit copies;            // which words the two languages have in common
    std::array<Notice, kFlaws> found;  // by Flaw; Flaw::overlap in training sets alone
    // The pairs of a validation or test set with a side, or with both, that the training corpus
    // has, too.
    Notice source_in_training, target_in_training, pair_in_training;
    Traces traces;  // marks of other programs
    Slips slips;
    std::vector<std::string> damage;  // of the files: PairReader::damage()

    const Notice& of(Flaw flaw) const { return found[index_of(flaw)]; }
  };

  /// CopyLimit::usual of the first training corpus.
  text::CopyLimit usual_copies() const {
    return sets.empty() ? text::CopyLimit() : sets.front().copies;
  }

  struct Line {
    std::string text;
    bool is_warning = false;
  };

  double ratio = 0;       // data.clean_ratio
  std::vector<Set> sets;  // training, validation, test

  /// The report for the log: a line for each set, and an indented one for each kind of finding. The
  /// pairs of a set whose lines have slipped are wrong, of which a warning tells.
  std::vector<Line> lines() const;
  /// The texts of these lines.
  std::vector<std::string> text() const;
  /// An object that has for each set its files, pairs and scripts, and for each kind of finding a
  /// count and the first lines.
  std::string to_json() const;
};

/// Reads all files of the section, each once. Sentences are compared with their blanks tidied and
/// otherwise character by character. Memory: 11 to 22 bytes for each training pair, and the facts
/// of validation and test pairs. Throws UserError where a file is missing, empty or mostly not
/// UTF-8, where two files differ in length, and for a wrong line of an alignment.
HygieneReport check_hygiene(const DataConfig& config);

/// What the caller has told of the text of which the corpora are parts.
struct ToldBefore {
  bool header = false;  // of a line of column names
  bool lines = false;   // that lines do not belong together (Slips::fault())
};

/// The same as check_hygiene(), but also writes the report to the log; not the damage of training
/// and validation sets, which is told when they are read again, nor what has been told before.
HygieneReport report_hygiene(const DataConfig& config, const ToldBefore& told = {});

}  // namespace heed::data
