#include "base/signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <memory>

#include "base/error.h"

namespace heed::signals {
namespace {

volatile std::sig_atomic_t came = 0;
std::atomic<int64_t> first_request = 0;  // time of the request, in milliseconds; set by any thread
static_assert(std::atomic<int64_t>::is_always_lock_free);

constexpr int64_t kOneRequest = 1000;  // milliseconds

int64_t milliseconds_now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

// One closed terminal makes several SIGHUP, from the system and from the shell, and the end of a
// session SIGTERM besides; a batch system sends SIGUSR2, and SIGINT and SIGTERM some seconds later.
// So only SIGINT and SIGTERM count here, and a second one ends the process only where it comes a
// while after the first.
extern "C" void note(int number) {
  came = 1;
  if (number != SIGINT && number != SIGTERM) return;
  const int64_t now = milliseconds_now();
  int64_t first = 0;
  if (first_request.compare_exchange_strong(first, now) || now - first < kOneRequest) return;
  if (::getpid() == 1) ::_exit(128 + number);  // a container's first process has no default action
  // The default action ends the process as soon as this handler returns.
  std::signal(number, SIG_DFL);
  std::raise(number);
}

/// A stack for the signal handlers of a thread. Matrix products of oneDNN let the stack pointer
/// lead into a buffer on the heap; the frame that the system puts below it for a handler would
/// overwrite the memory before that buffer.
class HandlerStack {
 public:
  HandlerStack() {
    stack_t before{};
    ::sigaltstack(nullptr, &before);
    if ((before.ss_flags & SS_DISABLE) == 0) return;  // a sanitizer has set one
    memory_ = std::make_unique<char[]>(kBytes);
    set({.ss_sp = memory_.get(), .ss_flags = 0, .ss_size = kBytes});
  }
  ~HandlerStack() {
    if (memory_) set({.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0});
  }
  HandlerStack& operator=(HandlerStack&&) = delete;

 private:
  static constexpr std::size_t kBytes = 1 << 16;  // the registers of AMX alone are 8 KiB
  static void set(const stack_t& stack) { ::sigaltstack(&stack, nullptr); }
  std::unique_ptr<char[]> memory_;
};

}  // namespace

void install() {
  static thread_local const HandlerStack stack;
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (const int number : kRequests) {
    struct sigaction before {};
    sigaction(number, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);
  }
}

void leave_to_main_thread() {
  static thread_local const bool done = [] {
    sigset_t all;
    sigemptyset(&all);
    for (const int number : kRequests) sigaddset(&all, number);
    return ::gettid() == ::getpid() || ::pthread_sigmask(SIG_BLOCK, &all, nullptr) == 0;
  }();
  expect(done, "signals of this thread are blocked");
}

bool is_request(int status) {
  return std::ranges::find(kRequests, status - 128) != kRequests.end();
}

bool interrupted() {
  return came != 0;
}

void stop_if_interrupted() {
  if (interrupted()) throw Failure("interrupted");
}

void clear() {
  came = 0;
  first_request = 0;
}

}  // namespace heed::signals

namespace heed {

void repair_inherited() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    const bool closed = ::fcntl(number, F_GETFD) < 0 && errno == EBADF;
    // The lowest free number is this one. Opened the wrong way round, each use of it fails.
    if (closed) ::open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
  std::signal(SIGCHLD, SIG_DFL);
  std::signal(SIGXFSZ, SIG_IGN);
  // The first process of a container gets no signal that it does not handle.
  if (::getpid() == 1)
    for (const int number : signals::kRequests)
      if (std::signal(number, SIG_IGN) != SIG_IGN)
        std::signal(number, [](int which) { ::_exit(128 + which); });
}

}  // namespace heed
