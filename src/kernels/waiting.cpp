#include "kernels/waiting.h"

#include <omp.h>

#include <atomic>

namespace heed::kernels {

bool should_sleep(double others, int64_t processors, int64_t threads, bool now) {
  constexpr double kMost = 0.3, kLeast = 0.15;  // of a processor more than there are
  const double too_many = others + static_cast<double>(threads - processors);
  return too_many > (now ? kLeast : kMost);
}

void IdleThreads::own() {
  std::atomic<int> count = 0;
  const int wanted = omp_get_num_procs() + 1;
#pragma omp parallel num_threads(wanted)
  ++count;  // without work there would be no team
  made_.release();
  gone_.acquire();
}

void Waiting::look(int64_t threads) {
  constexpr double kPause = 0.5;
  if (others_ && others_->seconds() < kPause) return;
  if (others_) {
    const bool wanted = threads > 1 && should_sleep(others_->cores(), omp_get_num_procs(), threads,
                                                    idle_.has_value());
    if (!wanted)
      idle_.reset();
    else if (!idle_)
      idle_.emplace();
  }
  others_.emplace();
}

}  // namespace heed::kernels
