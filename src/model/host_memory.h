// The memory of CPU tensors: blocks that one update gave back serve the next one.
#pragma once

#include <cstdint>

namespace heed::model {

/// From here on, for the beginning of a program, tensors on the CPU get their memory from a pool.
/// The system would zero every page of a large tensor anew; and malloc, told to keep what is freed,
/// scatters it: batches of ever other shapes then take several times what they hold at once. The
/// pool keeps freed blocks, in sizes an eighth of an octave apart, and gives the longest unused
/// back to the system before it holds more than a quarter (and 64 MiB) above what was in use at the
/// most. oneDNN's caches of workspaces are kept small, too.
void pool_host_memory();

/// Bytes in blocks of the pool; all 0 before pool_host_memory().
struct HostMemory {
  int64_t used = 0;  // by tensors now
  int64_t most = 0;  // at the most since forget_peak()
  int64_t held = 0;  // with what is kept for later
};
HostMemory host_memory();
void forget_peak();

}  // namespace heed::model
