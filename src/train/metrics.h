// What a run tells: metrics.jsonl for programs, one line of text for people.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/event_file.h"
#include "train/progress.h"
#include "train/update.h"
#include "train/validation.h"

namespace heed::train {

/// What a line of training metrics says besides the window's sums.
struct LineContext {
  double left = -1;      // seconds to the end of training, below 0: unknown
  bool last = false;     // the run ended before the window was full
  bool guided = false;   // there is an alignment loss
  bool covered = false;  // there is a coverage loss
};

/// The window's averages, with units a person reads: "update 1,200 epoch 3 loss 3.412 ...".
std::string line_text(const Progress& progress, const LineContext& context);
std::string validation_text(const Validation& validation, const Progress& progress,
                            const TrainConfig& config);

/// "SET at update 1,200 loss 2.0312 ppl 7.62 BLEU 30.12".
std::string outcome_text(const std::string& set, const Validation& validation,
                         const Progress& progress);

/// "7, 9 and 3 more": lines of the corpora, for a batch that went wrong; "data.train.0:7" where the
/// run has several.
std::string origins_text(const std::vector<data::Origin>& origins, std::size_t corpora);

/// metrics.jsonl: one JSON object a line, each with `event` and `update`. The same as TensorBoard's
/// event files where that is wanted, with what validations leave in validations/: UPDATE.txt, and
/// UPDATE.png if there is one.
class Metrics {
 public:
  /// Of the run in `folder`; nothing is written where that is empty.
  explicit Metrics(const std::string& folder, bool tensorboard = false);
  ~Metrics();

  /// Forgets everything that is not in `progress`, so that the file reads as if the run had never
  /// gone further. A line that was cut off by a crash or is no event goes, too. Throws Failure.
  void truncate(const Progress& progress);

  void train(const Progress& progress, const LineContext& context);
  void validation(const Validation& validation, const Progress& progress);
  /// Of a set that decides nothing.
  void further_validation(const std::string& set, const Validation& validation,
                          const Progress& progress);
  void rollback(const Progress& progress);

 private:
  void append(const std::string& line);
  void tell(const std::string& line);
  std::string folder_, path_;
  bool tensorboard_;
  std::unique_ptr<EventFile> events_;
  double begin_ = 0;  // of the run, without its interruptions, in seconds since 1970
};

}  // namespace heed::train
