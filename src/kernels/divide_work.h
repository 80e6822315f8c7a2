// Work that is cut into items, each done by one worker from its beginning to its end: no result
// depends on how many workers there are, and none waits for another before the last item.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <semaphore>
#include <thread>

#include "base/machine.h"

namespace heed::kernels {

// How the threads that compute a part together wait for each other, some thousand times an update.
//
// OpenMP lets a thread that waits look again and again for three milliseconds before it sleeps.
// Beside another busy program it thereby takes a processor from the thread that it waits for, and
// all together are slower than one. GNU's OpenMP looks for a microsecond alone as long as it has
// more threads than there are processors. So other threads are made that do nothing, as long as
// other programs leave too few processors. No result depends on them.

/// Whether threads should sleep where they wait: `others` is how many processors other programs
/// use, of `processors`, beside `threads` of this one. `now` says whether they sleep already; a
/// load near the limit changes nothing.
bool should_sleep(double others, int64_t processors, int64_t threads, bool now);

/// As many threads of OpenMP as there are processors, which sleep until this object is destroyed.
class IdleThreads {
 public:
  IdleThreads() { ready_.acquire(); }
  ~IdleThreads() { gone_.release(); }
  IdleThreads& operator=(IdleThreads&&) = delete;

 private:
  void own();

  std::binary_semaphore ready_{0}, gone_{0};
  // A team of OpenMP belongs to the thread that made it, and ends with it.
  std::jthread owner_{[this] { own(); }};
};

class Waiting {
 public:
  /// Measures how many processors other programs use, twice a second at most, and decides whether
  /// `threads` that compute together should sleep where they wait. It is to be called between two
  /// updates.
  void look(int64_t threads);

 private:
  std::optional<OtherPrograms> others_;  // since the last look
  std::optional<IdleThreads> idle_;
};

using ItemWork = std::function<void(int64_t item, int64_t worker)>;

/// Calls work(item, worker) once for each item of [0, count). at::get_num_threads() workers take
/// the items in order, each the next one that is left; 0 <= worker < at::get_num_threads(), and no
/// two calls of one worker overlap. Inside `work` LibTorch has a single thread, and the caller's
/// gradient mode. Throws the exception of the first call that failed; items that were not begun by
/// then are left out.
void divide_work(int64_t count, const ItemWork& work);

/// divide_work() with at::get_num_threads() / `inner` workers, inside whose `work` LibTorch has
/// `inner` threads: results may depend on `inner`. 1 <= inner <= at::get_num_threads().
void divide_work(int64_t count, int64_t inner, const ItemWork& work);

/// The first of these functions on a CPU. On another device the calling thread makes all calls, as
/// worker 0.
void divide_work(const at::Device& device, int64_t count, const ItemWork& work);

}  // namespace heed::kernels
