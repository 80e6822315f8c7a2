// The JSON files of a run: provenance.json, which says by which program and of which files it was
// made, enough to make it again and to see that a file has changed since; and summary.json of a
// finished run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/config.h"
#include "data/hygiene.h"

namespace heed::run {

/// One corpus file of a run.
struct CorpusSum {
  std::string path;
  uint64_t bytes = 0;
  std::string sha256;  // 64 hexadecimal digits, as sha256sum(1) prints it

  bool operator==(const CorpusSum&) const = default;
};

struct Provenance {
  std::string heed, commit, libtorch;
  std::string processor, device, precision;
  int64_t threads = 0;
  std::string command;  // of the process that wrote this, as a shell reads it
  std::vector<CorpusSum> corpora;
  std::vector<std::pair<std::string, std::string>> vocabularies;  // file name, fingerprint

  /// Reads provenance.json. Throws UserError naming the file.
  static Provenance read(const std::string& path);
  std::string to_json() const;
};

/// Returns the checksum of a file as it is now. Throws Failure where sha256sum(1) is missing or
/// fails.
CorpusSum sum_of(const std::string& path);

/// Returns the checksums of every corpus file that the section names.
std::vector<CorpusSum> sums_of(const data::DataConfig& data);

/// Whether the weights of a run depend on the corpus in `path`. Those of data.more_valid are only
/// scored, and data.test as well unless data.clean leaves out training pairs by it.
bool decides(const data::DataConfig& data, const std::string& path);

/// Returns the files that have the path of one of the corpora `before`, but other bytes.
std::vector<CorpusSum> changed_corpora(const std::vector<CorpusSum>& before,
                                       const std::vector<CorpusSum>& now);

/// The contents of summary.json, by which runs are compared.
struct Summary {
  int64_t parameters = 0, updates = 0;
  double minutes = 0, tokens_per_second = 0;  // target tokens without padding
  std::optional<double> validation_loss;      // of the best, per token; nothing without a set
  std::optional<double> validation_bleu;  // of the best checkpoint; nothing where none was scored
  std::string stop_reason;
  std::vector<std::string> test_scores;  // as sacrebleu describes them
  // On the test set of training.from: of that model, and of this one.
  std::vector<std::string> base_before, base_after;

  /// Makes the summary of a run that was made so, on these corpora.
  std::string to_json(const Provenance& provenance, const data::HygieneReport& corpora) const;
  /// Throws UserError naming the file.
  static Summary read(const std::string& path);
};

/// The corpora of a finished run as they were when it was scored, by its summary.json. Empty where
/// that is missing or does not say.
std::vector<CorpusSum> scored_corpora(const std::string& path);

}  // namespace heed::run
