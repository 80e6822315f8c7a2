// Work on a range of items, split over threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace heed::data {

/// Calls `work(begin, end)` for consecutive slices of [0, count), one a thread, and waits. Throws
/// what the first slice that failed threw.
inline void for_slices(int64_t count, int64_t threads,
                       const std::function<void(int64_t, int64_t)>& work) {
  const int64_t slices = std::clamp<int64_t>(threads, 1, std::max<int64_t>(1, count));
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(slices));
  const auto run = [&](int64_t slice) {
    try {
      work(count * slice / slices, count * (slice + 1) / slices);
    } catch (...) {
      errors[slice] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (int64_t slice = 1; slice < slices; ++slice) others.emplace_back(run, slice);
    run(0);
  }
  for (const auto& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace heed::data
