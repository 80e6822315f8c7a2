// LibTorch's threads, for engines.
#pragma once

#include <ATen/Parallel.h>

#include "engine/threads.h"

namespace heed::decode {

/// Those that are already at work have none to lend.
inline const engine::Threads& libtorch_threads() {
  static const engine::Threads threads = [](int64_t count, int64_t grain, const auto& work) {
    at::parallel_for(0, count, grain, work);
  };
  return threads;
}

}  // namespace heed::decode
