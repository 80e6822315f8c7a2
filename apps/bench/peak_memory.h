// How many bytes tensors took at the most.
#pragma once

#include <cstdint>

#include "model/host_memory.h"

namespace heed {

/// Counts the bytes of CPU tensors that are allocated while it lives. Only one may live at a time.
class PeakMemory {
 public:
  PeakMemory() : before_(model::host_memory().used) { model::forget_peak(); }

  /// The most bytes that were held at once, of those allocated since this object was made.
  int64_t bytes() const { return model::host_memory().most - before_; }

 private:
  int64_t before_;
};

}  // namespace heed
