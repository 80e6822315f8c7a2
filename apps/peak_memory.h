// How many bytes tensors took at the most.
#pragma once

#include <cstdint>

namespace heed {

/// Counts the bytes of CPU tensors that are allocated while it lives. Only one may live at a time.
class PeakMemory {
 public:
  PeakMemory();
  ~PeakMemory();
  PeakMemory(const PeakMemory&) = delete;
  PeakMemory& operator=(const PeakMemory&) = delete;

  /// The most bytes that were held at once, of those allocated since this object was made.
  int64_t bytes() const;
};

}  // namespace heed
