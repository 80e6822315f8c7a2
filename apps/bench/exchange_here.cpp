#include "apps/bench/exchange_here.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "ranks/group.h"
#include "run/launcher.h"
#include "run/measuring.h"

namespace heed {
namespace {

struct ExchangeSeconds {
  double large = 0, small = 0;  // gradients to their ranks and weights to all; one number to all
};

ExchangeSeconds measure_exchange(ranks::Group& group, int64_t numbers, int repeats) {
  const std::vector<int64_t> each(group.size(), numbers);
  const at::Tensor sent = at::ones({numbers * group.size()}), mine = at::ones({numbers});
  const at::Tensor one = at::ones({1});
  const auto small = [&] { group.gather(one); };
  const auto large = [&] {
    group.exchange(sent, each, each);
    group.gather(mine);
  };
  std::vector<double> large_seconds;
  for (int i = 0; i <= repeats; ++i) {
    small();  // begins together
    const double seconds = run::seconds_of(large);
    if (i > 0) large_seconds.push_back(seconds);
  }
  return {run::median(std::move(large_seconds)), run::median_seconds(100, small)};
}

}  // namespace

study::Connection exchange_here(int64_t ranks, double bytes, int repeats) {
  const run::MeetingFolder folder;
  // Of a small model the time would be latency alone.
  const double tensor = std::max(bytes, 16e6);
  const auto numbers = static_cast<int64_t>(tensor) / 4 / ranks;
  std::vector<ExchangeSeconds> seconds(ranks);
  std::vector<std::exception_ptr> errors(ranks);
  std::vector<std::thread> threads;
  for (int64_t rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      try {
        ranks::Group group({.rank = rank,
                            .size = ranks,
                            .local_rank = rank,
                            .local_size = ranks,
                            .meeting = ranks::Meeting::file,
                            .folder = folder.path()},
                           {.timeout = std::chrono::seconds(60)});
        seconds[rank] = measure_exchange(group, numbers, repeats);
      } catch (...) {
        errors[rank] = std::current_exception();
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
  const auto others = static_cast<double>(ranks - 1);
  const double latency = seconds[0].small / others;
  const double sent = 2 * others * static_cast<double>(numbers) * 4;
  const double rest = std::max(seconds[0].large / 2, seconds[0].large - 2 * seconds[0].small);
  return {.bytes_per_second = sent / rest, .latency = latency};
}

}  // namespace heed
