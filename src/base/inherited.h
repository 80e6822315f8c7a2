// What a process may inherit from the one that started it and cannot work with.
#pragma once

#include <csignal>
#include <ctime>

namespace heed {

/// To be called first in main(). Where standard input, output or error is closed, the next file
/// that is opened would get its number and be read or written in its place: /dev/null takes it, so
/// that reading or writing it is an error still. An ignored SIGCHLD, with which no program's exit
/// status could be waited for, is no longer ignored. SIGXFSZ is: a file that reaches the limit of
/// `ulimit -f` is an error of its write, as on a full disk, and not the end of the process.
void repair_inherited();

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
