#include "base/signals.h"

#include <csignal>

namespace heed::signals {
namespace {

volatile std::sig_atomic_t came = 0;

extern "C" void note(int number) {
  if (came != 0) {
    // The default action ends the process as soon as this handler returns.
    std::signal(number, SIG_DFL);
    std::raise(number);
    return;
  }
  came = 1;
}

}  // namespace

void install() {
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() {
  return came != 0;
}

void clear() {
  came = 0;
}

}  // namespace heed::signals
