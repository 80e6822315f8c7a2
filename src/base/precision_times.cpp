#include "base/precision_times.h"

#include <algorithm>
#include <cstddef>
#include <ctime>

#include "base/error.h"
#include "base/strings.h"

namespace heed {
namespace {

constexpr int kFewest = 5, kMost = 24;  // how many rounds are measured

/// The median of an odd number of times, or the shorter one of the two in the middle.
double middle_of(std::vector<double>& times) {
  const auto middle = times.begin() + (std::ssize(times) - 1) / 2;
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

}  // namespace

std::string PrecisionTimes::text() const {
  const auto told = [](double seconds, const char* format) {
    return fmt::format("{} ms in {}", fixed(1000 * seconds, 1), format);
  };
  std::vector<std::string> all{told(fp32, "fp32")};
  if (bf16 > 0) all.push_back(told(bf16, "bf16"));
  if (int8 > 0) all.push_back(told(int8, "int8"));
  const std::string last = all.back();
  all.pop_back();
  return all.empty() ? last : join(all, ", ") + " and " + last;
}

double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::vector<double> median_times(const std::vector<std::function<std::vector<double>()>>& runs,
                                 double enough) {
  const double begun = thread_seconds();
  const auto is_short = [&] { return thread_seconds() - begun < enough; };
  std::vector<std::vector<std::vector<double>>> times(runs.size());  // of each run, part and round
  for (int round = 0; round < kFewest || (round < kMost && is_short()); ++round)
    for (std::size_t run = 0; run < runs.size(); ++run) {
      const std::vector<double> seconds = runs[run]();
      times[run].resize(round == 0 ? seconds.size() : times[run].size());
      expect(seconds.size() == times[run].size(), "the same parts in each run");
      for (std::size_t part = 0; part < seconds.size(); ++part)
        times[run][part].push_back(seconds[part]);
    }
  std::vector<double> sums(runs.size(), 0.0);
  for (std::size_t run = 0; run < runs.size(); ++run)
    for (std::vector<double>& part : times[run]) sums[run] += middle_of(part);
  return sums;
}

}  // namespace heed
