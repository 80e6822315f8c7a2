// The threads that a caller lends to an engine, which has none of its own.
#pragma once

#include <cstdint>
#include <functional>

namespace heed::engine {

/// Calls work(first, last) for parts of [0, count) that have `grain` items at least and are all of
/// it, at the same time if it has several threads.
using Threads = std::function<void(int64_t count, int64_t grain,
                                   const std::function<void(int64_t first, int64_t last)>& work)>;

}  // namespace heed::engine
