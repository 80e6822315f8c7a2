#include "base/precision_times.h"

#include <algorithm>
#include <cstddef>
#include <ctime>

#include "base/error.h"
#include "base/strings.h"

namespace heed {
namespace {

constexpr int kFewest = 5, kMost = 24;  // how many rounds are measured

/// The time that `share` of the others do not exceed; of two that may be meant the shorter one.
double quantile(std::vector<double>& times, double share) {
  const auto last = static_cast<double>(times.size() - 1);
  const auto there = times.begin() + static_cast<std::ptrdiff_t>(share * last);
  std::nth_element(times.begin(), there, times.end());
  return *there;
}

double middle_of(std::vector<double>& times) {
  return quantile(times, 0.5);
}

/// The parts of one run in each round.
using PartTimes = std::vector<std::vector<double>>;

MedianTime median_time(PartTimes& parts) {
  std::vector<double> sums;  // of each round
  MedianTime time;
  for (std::vector<double>& part : parts) {
    sums.resize(part.size());
    for (std::size_t round = 0; round < part.size(); ++round) sums[round] += part[round];
    time.seconds += middle_of(part);
  }
  if (const double middle = sums.empty() ? 0 : middle_of(sums); middle > 0)
    time.spread = (quantile(sums, 0.75) - quantile(sums, 0.25)) / middle;
  return time;
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

std::vector<MedianTime> median_times(const std::vector<std::function<std::vector<double>()>>& runs,
                                     double enough) {
  const double begun = thread_seconds();
  const auto is_short = [&] { return thread_seconds() - begun < enough; };
  std::vector<PartTimes> times(runs.size());
  for (int round = 0; round < kFewest || (round < kMost && is_short()); ++round)
    for (std::size_t run = 0; run < runs.size(); ++run) {
      const std::vector<double> seconds = runs[run]();
      times[run].resize(round == 0 ? seconds.size() : times[run].size());
      expect(seconds.size() == times[run].size(), "the same parts in each run");
      for (std::size_t part = 0; part < seconds.size(); ++part)
        times[run][part].push_back(seconds[part]);
    }
  std::vector<MedianTime> medians;
  for (PartTimes& of_run : times) medians.push_back(median_time(of_run));
  return medians;
}

}  // namespace heed
