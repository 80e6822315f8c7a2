#include "base/precision_times.h"

#include <algorithm>
#include <ctime>
#include <numeric>

#include "base/error.h"
#include "base/strings.h"

namespace heed {
namespace {

constexpr int kFewest = 3, kMost = 24;  // how many rounds are measured

void keep_shortest(const std::vector<double>& seconds, std::vector<double>& shortest) {
  if (shortest.empty()) shortest = seconds;
  expect(seconds.size() == shortest.size(), "the same parts in each run");
  for (std::size_t i = 0; i < seconds.size(); ++i) shortest[i] = std::min(shortest[i], seconds[i]);
}

}  // namespace

std::string PrecisionTimes::text() const {
  return fmt::format("{} ms in fp32 and {} ms in bf16", fixed(1000 * fp32, 1),
                     fixed(1000 * bf16, 1));
}

double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

PrecisionTimes time_precisions(const std::function<std::vector<double>(bool bf16)>& run,
                               double enough) {
  const double begun = thread_seconds();
  const auto is_short = [&] { return thread_seconds() - begun < enough; };
  std::vector<double> fp32, bf16;
  for (int round = 0; round < kFewest || (round < kMost && is_short()); ++round) {
    keep_shortest(run(false), fp32);
    keep_shortest(run(true), bf16);
  }
  return {std::accumulate(fp32.begin(), fp32.end(), 0.0),
          std::accumulate(bf16.begin(), bf16.end(), 0.0)};
}

}  // namespace heed
