// Ranks as threads of one process, which meet in a folder that goes away.
#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "ranks/group.h"
#include "temporary_folder.h"

namespace heed::ranks {

/// Runs work(group) on each of `size` ranks at once; throws what the first rank that failed threw.
inline void together(int64_t size, const std::function<void(Group&)>& work,
                     const GroupOptions& options = {.timeout = std::chrono::seconds(60)}) {
  const TemporaryFolder folder;
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(size));
  {
    std::vector<std::jthread> threads;
    for (int64_t rank = 0; rank < size; ++rank)
      threads.emplace_back([&, rank] {
        try {
          RankInfo info;
          info.rank = info.local_rank = rank;
          info.size = info.local_size = size;
          info.rendezvous = size > 1 ? Rendezvous::file : Rendezvous::none;
          info.folder = folder.path();
          Group group(info, options);
          work(group);
        } catch (...) {
          errors[static_cast<std::size_t>(rank)] = std::current_exception();
        }
      });
  }
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace heed::ranks
