#include "kernels/divide_work.h"

#include <ATen/Parallel.h>
#include <ATen/ThreadLocalState.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <vector>

#include "base/signals.h"

namespace heed::kernels {
namespace {

/// Items that workers take from.
class Items {
 public:
  Items(int64_t count, const ItemWork& work) : count_(count), work_(work) {}
  /// Takes and does items until none is left.
  void take(int64_t worker) {
    const at::ThreadLocalStateGuard as_caller(callers_);
    try {
      for (int64_t item = next_++; item < count_; item = next_++) work_(item, worker);
    } catch (...) {
      next_ = count_;
      throw;
    }
  }

 private:
  const int64_t count_;
  const ItemWork& work_;
  const at::ThreadLocalState callers_;
  std::atomic<int64_t> next_ = 0;
};

/// LibTorch's threads have no threads of their own; these do.
void take_with_threads(Items& items, int64_t workers, int64_t inner) {
  const int before = at::get_num_threads();
  std::vector<std::exception_ptr> thrown(workers);
  {
    std::vector<std::jthread> all;
    for (int64_t worker = 0; worker < workers; ++worker)
      all.emplace_back([&, worker] {
        signals::leave_to_main_thread();  // before it has threads
        at::set_num_threads(static_cast<int>(inner));
        try {
          items.take(worker);
        } catch (...) {
          thrown[worker] = std::current_exception();
        }
      });
  }
  at::set_num_threads(before);  // new threads begin with this number
  const auto first = std::ranges::find_if(thrown, [](const auto& one) { return one != nullptr; });
  if (first != thrown.end()) std::rethrow_exception(*first);
}

}  // namespace

bool should_sleep(double others, int64_t processors, int64_t threads, bool now) {
  constexpr double kMost = 0.3, kLeast = 0.15;  // of a processor more than there are
  const double too_many = others + static_cast<double>(threads - processors);
  return too_many > (now ? kLeast : kMost);
}

void IdleThreads::own() {
  std::atomic<int> count = 0;
  const int threads = omp_get_num_procs() + 1;
#pragma omp parallel num_threads(threads)
  ++count;  // without work there would be no team
  ready_.release();
  gone_.acquire();
}

void Waiting::look(int64_t threads) {
  constexpr double kPause = 0.5;
  if (others_ && others_->seconds() < kPause) return;
  if (others_) {
    const bool sleeps = threads > 1 && should_sleep(others_->cores(), omp_get_num_procs(), threads,
                                                    idle_.has_value());
    if (!sleeps)
      idle_.reset();
    else if (!idle_)
      idle_.emplace();
  }
  others_.emplace();
}

void divide_work(int64_t count, const ItemWork& work) {
  Items items(count, work);
  at::parallel_for(0, at::get_num_threads(), 1, [&](int64_t worker, int64_t) {
    signals::leave_to_main_thread();
    // Nested loops are serial here, but oneDNN cuts its work by the number of threads that OpenMP
    // gives it. A new thread takes over LibTorch's number at its first question to LibTorch, and at
    // the first parallel_for that was compiled into this program: each remembers for itself.
    at::get_num_threads();
    at::internal::lazy_init_num_threads();
    omp_set_num_threads(1);
    items.take(worker);
  });
}

void divide_work(int64_t count, int64_t inner, const ItemWork& work) {
  const int64_t threads = at::get_num_threads();
  if (inner == 1) return divide_work(count, work);
  Items items(count, work);
  if (inner == threads) return items.take(0);
  take_with_threads(items, std::min(threads / inner, count), inner);
}

void divide_work(const at::Device& device, int64_t count, const ItemWork& work) {
  if (device.is_cpu()) return divide_work(count, work);
  for (int64_t item = 0; item < count; ++item) work(item, 0);
}

}  // namespace heed::kernels
