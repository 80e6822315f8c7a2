// Writing to what nobody reads any more, as an error instead of a signal.
#pragma once

#include <csignal>
#include <ctime>

namespace heed {

/// While it lives, this thread's writes to a pipe or a connection that nobody reads fail with EPIPE
/// and SIGPIPE does not end the process. Threads that are started meanwhile stay so for all their
/// life.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  /// Takes away a signal that has come meanwhile.
  ~NoPipeSignal() {
    const timespec now{};
    while (sigtimedwait(&pipe_, nullptr, &now) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  sigset_t pipe_{}, before_{};
};

}  // namespace heed
