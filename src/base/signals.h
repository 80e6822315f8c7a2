// Signals: a flag, which loops check, for those that ask a process to end; and repairs of what a
// process may inherit from the one that started it and cannot work with.
#pragma once

#include <array>
#include <csignal>
#include <ctime>

namespace heed::signals {

/// The signals that ask a process to end. SIGHUP tells that the terminal is gone, SIGXCPU that the
/// soft limit of processor time is reached, once a second. SIGUSR1 and SIGUSR2 are what batch
/// systems (Slurm, Grid Engine, LSF) send some time before they end a job.
inline constexpr std::array kRequests = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU};

/// From now on a first SIGINT or SIGTERM only sets the flag; a second one, a second later or more,
/// ends the process. One that comes sooner is the same request by another way: timeout(1), systemd
/// and schedulers signal every process of a job, and its parent passes the signal on. The others of
/// kRequests only warn of an end, which SIGTERM often announces once more while files are written:
/// they set the flag however often they come. A signal that is ignored stays ignored: whoever
/// started the process wanted it so. nohup(1) ignores SIGHUP, and a script's shell ignores SIGINT
/// for what it starts with &, since Ctrl-C is meant for the program in the foreground. The handlers
/// run on a stack of their own in the calling thread, which should be the main one.
void install();

/// Blocks all handlers in this thread. To be called by threads that multiply matrices, because they
/// have no stack for handlers. The system signals a working thread where a limit of processor time
/// is reached, and any thread where several signals come at once. Does nothing in the main thread.
void leave_to_main_thread();

/// Whether a process with this exit status, 128 + signal, was ended by one of kRequests.
bool is_request(int status);

/// Whether one of kRequests has come since install().
bool interrupted();

/// Throws Failure "interrupted" where one of kRequests has come. For commands that must clean up
/// what they have begun: they call it between two pieces of work.
void stop_if_interrupted();

/// Forgets a signal that has come, for tests and for programs that go on.
void clear();

}  // namespace heed::signals

namespace heed {

/// To be called first in main(). Where standard input, output or error is closed, the next file
/// that is opened would get its number and be read or written in its place: /dev/null takes it, so
/// that reading or writing it is an error still. An ignored SIGCHLD, with which no program's exit
/// status could be waited for, is no longer ignored. SIGXFSZ is: a file that reaches the limit of
/// `ulimit -f` is an error of its write, as on a full disk, and not the end of the process.
void repair_inherited();

/// While it lives, this thread's writes to a pipe or a connection that nobody reads fail with EPIPE
/// and SIGPIPE does not end the process. Threads that are started meanwhile keep this for all their
/// life.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  /// Discards a signal that has come meanwhile.
  ~NoPipeSignal() {
    const timespec now{};
    while (sigtimedwait(&pipe_, nullptr, &now) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoPipeSignal& operator=(NoPipeSignal&&) = delete;

 private:
  sigset_t pipe_{}, before_{};
};

}  // namespace heed
