// What programs that keep the machine busy mean for what heed measures and trains on it.
#pragma once

#include <cstdint>
#include <string>

namespace heed::run {

/// How busy other programs keep the processors that this process may use.
struct OtherUse {
  double used = 0;    // processors, on average; OtherPrograms::cores()
  int64_t cores = 1;  // that there are

  /// Whether they take what a training would notice.
  bool matters() const;
  /// Returns the threads of a training that leaves them what they use; at least 1.
  int64_t threads_beside() const;
  /// "other programs use 0.1 of 2 cores"; where it matters, with what the user can do.
  std::string text() const;
};

/// Measures for half a second, in which this process sleeps: while it works, others get less than
/// they ask for.
OtherUse use_of_others();

}  // namespace heed::run
