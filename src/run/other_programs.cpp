#include "run/other_programs.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "base/format.h"
#include "base/machine.h"
#include "base/strings.h"

namespace heed::run {
namespace {

// Processors. What a desktop or a server always does stays below; threads that compute together
// notice what is more (kernels/divide_work.h).
constexpr double kNoticed = 0.3;

}  // namespace

bool OtherUse::matters() const {
  return used > kNoticed;
}

int64_t OtherUse::threads_beside() const {
  const auto taken = static_cast<int64_t>(std::ceil(std::max(0., used - kNoticed)));
  return std::clamp<int64_t>(cores - taken, 1, cores);
}

std::string OtherUse::text() const {
  // The system counts in ticks, so what is measured of others may be a little less than nothing.
  const double shown = std::clamp(used, 0., static_cast<double>(cores));
  const std::string use =
      fmt::format("other programs use {:.1f} of {}", shown, counted(cores, "core"));
  if (!matters()) return use;
  const std::string beside =
      cores > 1 ? fmt::format("; to train beside them set threads: {}", threads_beside()) : "";
  return fmt::format(
      "{}: what is measured here is uncertain, and trainings take longer. Stop them (`top` lists "
      "them) and call `heed doctor` again{}",
      use, beside);
}

OtherUse use_of_others() {
  const OtherPrograms others;
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  return {.used = others.cores(), .cores = available_cores()};
}

}  // namespace heed::run
