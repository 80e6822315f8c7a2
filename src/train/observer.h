// Who is told what happens in a training: its log, its files of metrics, its line of progress.
#pragma once

#include <string>
#include <vector>

#include "train/losses.h"
#include "train/progress.h"
#include "train/validation.h"

namespace heed::train {

/// What a line of training metrics says besides the window's sums.
struct LineContext {
  double left = -1;                       // seconds to the end of training, below 0: unknown
  bool last = false;                      // the run ended before the window was full
  std::vector<AuxiliaryLoss> terms = {};  // of the run
};

class Observer {
 public:
  Observer() = default;
  virtual ~Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  /// The training begins or goes on at `progress`: whatever is behind it has never been.
  virtual void begins(const Progress&) {}
  /// log_every updates are done, or the training ends.
  virtual void window(const Progress&, const LineContext&) {}
  virtual void validation(const Validation&, const Progress&) {}
  /// Of a set that decides nothing.
  virtual void further_validation(const std::string& /*set*/, const Validation&, const Progress&) {}
  /// The training has gone back to a checkpoint, told after begins().
  virtual void rollback(const Progress&) {}
};

}  // namespace heed::train
