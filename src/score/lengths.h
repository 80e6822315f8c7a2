// BLEU by source length: where a model without attention breaks, and where one with attention does
// not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "score/bleu_statistics.h"
#include "score/config.h"
#include "score/sacrebleu.h"

namespace heed::score {

/// Sentences whose source has low..high words (text::count_words()); no `high`: all longer ones.
struct Bucket {
  int64_t low = 1;
  std::optional<int64_t> high;
  std::vector<std::size_t> sentences;  // indices into the corpus, ascending
  int64_t source_words = 0;

  std::string label() const;  // "1-10", "> 60"; "all" for the whole corpus
};

struct BucketScore {
  BleuScore bleu;
  std::optional<Interval>
      interval;  // 95 %, none where bootstrap is 0 or the tokeniser is not heed's
  std::optional<Comparison> against_baseline;  // none for the baseline itself
};

struct SystemLengths {
  std::string name;
  std::vector<std::optional<BucketScore>> buckets;  // nothing for a bucket without sentences
  BucketScore all;                                  // every sentence that is in a bucket
  Score overall;                                    // sacrebleu's BLEU over every line
};

struct LengthReport {
  std::string unit = "words";  // or "characters", where the sources are written without blanks
  std::vector<Bucket> buckets;
  Bucket all;
  std::vector<SystemLengths> systems;
  std::string baseline;  // "" where nothing is compared
  std::vector<std::string> warnings;
};

struct SystemOutput {
  std::string name;
  std::vector<std::string> hypotheses;  // one per source line
};

/// Buckets for upper ends 10, 20, ...: 1-10, 11-20, ..., and one for all longer sentences. The ends
/// are sorted and repeated ones ignored. A source line without words is in no bucket.
std::vector<Bucket> make_buckets(const std::vector<std::string>& sources,
                                 const std::vector<int64_t>& upper_ends);

/// Throws UserError where two systems have one name, or a baseline ("": none) is none of them.
void check_names(const std::vector<std::string>& names, const std::string& baseline);

/// `baseline`: the name of a system with which the others are compared; "": none. Throws UserError
/// where the inputs differ in lines, two systems share a name or the baseline is none of them;
/// Failure where sacrebleu is missing.
LengthReport measure_lengths(const std::vector<std::string>& sources,
                             const std::vector<std::string>& references,
                             const std::vector<SystemOutput>& systems,
                             const EvaluationConfig& config, const std::string& baseline = "");

/// `system,bucket_low,bucket_high,sentences,source_words,`
/// `bleu,bleu_low,bleu_high,brevity_penalty,length_ratio`:
/// one row per system and bucket. The last bucket's high end is `inf`; what a bucket does not have
/// is an empty field.
std::string lengths_csv(const LengthReport& report);

/// Returns the same for a terminal: one block of aligned lines per system, the whole corpus last,
/// then the signatures.
std::string lengths_table(const LengthReport& report);

}  // namespace heed::score
