#include "kernels/share_out.h"

#include <ATen/Parallel.h>
#include <ATen/ThreadLocalState.h>
#include <omp.h>

#include <atomic>

namespace heed::kernels {

void share_out(int64_t count, const std::function<void(int64_t, int64_t)>& work) {
  std::atomic<int64_t> next = 0;
  const at::ThreadLocalState callers;
  at::parallel_for(0, at::get_num_threads(), 1, [&](int64_t worker, int64_t) {
    // Nested loops are serial here, but oneDNN cuts its work by the number that it is told. A new
    // thread takes over LibTorch's number at its first question.
    at::get_num_threads();
    omp_set_num_threads(1);
    const at::ThreadLocalStateGuard as_caller(callers);
    try {
      for (int64_t item = next++; item < count; item = next++) work(item, worker);
    } catch (...) {
      next = count;
      throw;
    }
  });
}

void share_out(const at::Device& device, int64_t count,
               const std::function<void(int64_t, int64_t)>& work) {
  if (device.is_cpu()) return share_out(count, work);
  for (int64_t item = 0; item < count; ++item) work(item, 0);
}

}  // namespace heed::kernels
