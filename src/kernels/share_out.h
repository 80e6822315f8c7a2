// Work that is cut into items, each done by one core from its beginning to its end: no result
// depends on how many cores there are, and no core waits for another before the last item.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <functional>

namespace heed::kernels {

/// Calls work(item, worker) once for each item of [0, count). at::get_num_threads() workers take
/// the items in order, each the next one that is left; 0 <= worker < at::get_num_threads(), and no
/// two calls of one worker overlap. Inside `work` LibTorch has a single thread, and the caller's
/// gradient mode. Throws what a call threw; items that were not begun by then are left out.
void share_out(int64_t count, const std::function<void(int64_t item, int64_t worker)>& work);

/// The same on a CPU. On another device this thread makes all calls, as worker 0.
void share_out(const at::Device& device, int64_t count,
               const std::function<void(int64_t item, int64_t worker)>& work);

}  // namespace heed::kernels
