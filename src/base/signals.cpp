#include "base/signals.h"

#include <unistd.h>

#include <csignal>
#include <initializer_list>

#include "base/error.h"

namespace heed::signals {
namespace {

volatile std::sig_atomic_t came = 0, asked = 0;

// One closed terminal makes several SIGHUP, from the system and from the shell, and the end of a
// session SIGTERM besides. So only what somebody sends on purpose counts as asking.
extern "C" void note(int number) {
  came = 1;
  if (number == SIGHUP) return;
  if (asked != 0) {
    if (::getpid() == 1) ::_exit(128 + number);  // a container's first: it has no default action
    // The default action ends the process as soon as this handler returns.
    std::signal(number, SIG_DFL);
    std::raise(number);
  }
  asked = 1;
}

}  // namespace

void install() {
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    sigaction(number, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);
  }
}

bool interrupted() {
  return came != 0;
}

void stop_if_interrupted() {
  if (interrupted()) throw Failure("interrupted");
}

void clear() {
  came = 0;
  asked = 0;
}

}  // namespace heed::signals
