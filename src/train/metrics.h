// The reports of a run: metrics.jsonl for programs, lines of text for people, and the line at the
// bottom of a terminal that says how far the training is.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/event_file.h"
#include "data/origin.h"
#include "train/config.h"
#include "train/limits.h"
#include "train/losses.h"
#include "train/progress.h"
#include "train/validation.h"

namespace heed::train {

/// The contents of a line of training metrics besides the interval's sums.
struct LineContext {
  double left = -1;                       // seconds to the end of training, below 0: unknown
  bool last = false;                      // the run ended before the interval was full
  std::vector<AuxiliaryLoss> terms = {};  // of the run
};

/// An observer of a training: its functions are called when something happens.
class Observer {
 public:
  virtual ~Observer() = default;
  Observer& operator=(Observer&&) = delete;

  /// The training begins or goes on at `progress`. Whatever was reported of later updates does not
  /// count any more.
  virtual void begins(const Progress&) {}
  /// log_every updates have been done since the last call, or the training ends.
  virtual void interval(const Progress&, const LineContext&) {}
  virtual void validation(const Validation&, const Progress&) {}
  /// A validation of a further set was made; it decides nothing.
  virtual void further_validation(const std::string& /*set*/, const Validation&, const Progress&) {}
  /// The training has gone back to a checkpoint. It is called after begins().
  virtual void rollback(const Progress&) {}
};

/// The interval's averages, with units a person reads: "update 1,200 epoch 3 loss 3.412 ...".
std::string line_text(const Progress& progress, const LineContext& context);
std::string validation_text(const Validation& validation, const Progress& progress,
                            const TrainConfig& config);

/// "SET at update 1,200 loss 2.0312 ppl 7.62 BLEU 30.12".
std::string outcome_text(const std::string& set, const Validation& validation,
                         const Progress& progress);

/// "7, 9 and 3 more": lines of the corpora, for a batch that went wrong; "data.train.0:7" where the
/// run has several.
std::string origins_text(const std::vector<data::Origin>& origins, std::size_t corpora);

/// The lines of the run's log.
class TrainingLog : public Observer {
 public:
  /// `config` must outlive this object.
  explicit TrainingLog(const TrainConfig& config) : config_(config) {}
  void interval(const Progress& progress, const LineContext& context) override;
  void validation(const Validation& validation, const Progress& progress) override;
  void further_validation(const std::string& set, const Validation& validation,
                          const Progress& progress) override;

 private:
  const TrainConfig& config_;
};

/// metrics.jsonl: one JSON object a line, each with `event` and `update`. The same as TensorBoard's
/// event files where that is wanted, with what validations leave in validations/: UPDATE.txt, and
/// UPDATE.png if there is one.
class Metrics : public Observer {
 public:
  /// Writes the metrics of the run in `folder`; writes nothing where that is empty.
  explicit Metrics(const std::string& folder, bool tensorboard = false);
  ~Metrics() override;

  /// Forgets everything that is not in `progress`, so that the file reads as if the run had never
  /// gone further. A line that was cut off by a crash or is no event goes, too. Throws Failure.
  void begins(const Progress& progress) override;
  void interval(const Progress& progress, const LineContext& context) override;
  void validation(const Validation& validation, const Progress& progress) override;
  void further_validation(const std::string& set, const Validation& validation,
                          const Progress& progress) override;
  void rollback(const Progress& progress) override;

 private:
  void append(const std::string& line);
  void tell(const std::string& line);
  std::string folder_, path_;
  bool tensorboard_;
  std::unique_ptr<EventFile> events_;
  double begin_ = 0;  // of the run, without its interruptions, in seconds since 1970
};

class ProgressDisplay : public Observer {
 public:
  /// Both must outlive this object.
  ProgressDisplay(const TrainConfig& config, const TrainingLimits& limits)
      : config_(config), limits_(limits) {}

  /// Draws the line, at most twice a second unless something stands in place of the time left.
  void show(const Progress& progress, const std::string& instead_of_time_left = "");
  /// Right after an interval has ended, the line shows the numbers of that interval.
  void interval(const Progress& progress, const LineContext& context) override;
  void validation(const Validation& validation, const Progress& progress) override;

 private:
  void note(const LogInterval& interval);

  const TrainConfig& config_;
  const TrainingLimits& limits_;
  std::chrono::steady_clock::time_point shown_;
  std::optional<double> loss_, speed_, rate_;  // seen last
  std::optional<Validation> validation_;       // the last one, unless the run has just begun
};

}  // namespace heed::train
