// How much memory a training will take, before it takes any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "run/config.h"

namespace heed::run {

/// Bytes on the run's device, of one rank. All but `batch` follow from the sizes of the weights;
/// `batch` is an estimate: numbers that a backward pass needs of each token, as this program was
/// seen to keep them (docs/training.md).
struct MemoryNeed {
  int64_t parameters = 0, trainable = 0;  // numbers
  int64_t weights = 0;                    // in fp32
  int64_t optimizer = 0;                  // its moments, of this rank's share
  int64_t average = 0;                    // training.ema, the same
  int64_t gradients = 0;                  // one set for each part that is computed at a time, and
                                          // the sums of parts that wait for each other
  int64_t batch = 0;                      // of the parts that are computed at a time
  int64_t parts = 1;                      // these
  int64_t tokens = 0;                     // target tokens of one of them

  int64_t model() const { return weights + optimizer + average + gradients; }
  int64_t total() const { return model() + batch; }
  /// "memory: about 1.4 GiB, of which weights 36.0 MiB, ...".
  std::string text() const;
};

struct MemoryOf {
  int64_t source = 0, target = 0;  // sizes of the vocabularies
  bool cpu = true;                 // the device
  int64_t threads = 1;             // of this rank, on a CPU
  int64_t ranks = 1;
};

/// Makes the model without its numbers. Throws UserError for training.freeze that freezes all or
/// what is not there.
MemoryNeed memory_of(const Config& config, const MemoryOf& of);

/// Bytes that are free on the GPU that was opened last (model::open_device); nothing where that
/// does not say.
std::optional<int64_t> free_memory_of_gpu();

}  // namespace heed::run
