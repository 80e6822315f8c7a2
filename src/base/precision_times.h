// Measures in which of two precisions a processor multiplies faster. Its set of instructions does
// not say: a product of bf16 may take half the time of one of fp32, or one and a half times as
// long.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace heed {

/// The times of the same products in both precisions, in seconds of a processor.
struct PrecisionTimes {
  /// bf16 is faster only if it takes less than this share of the time of fp32. The margin is larger
  /// than the difference between two measurements of the same products.
  static constexpr double kShare = 0.85;

  double fp32 = 0, bf16 = 0;

  bool favour_bf16() const { return bf16 < kShare * fp32; }
  /// Returns "12.3 ms in fp32 and 8.0 ms in bf16".
  std::string text() const;
};

/// Seconds that a processor has worked for the calling thread, which other programs do not
/// lengthen.
double thread_seconds();

/// `run` gives the seconds of each of its parts, the same parts each time. It is called three times
/// for each precision, in turn, and up to 24 times as long as all calls together have taken less
/// than `enough` seconds of this thread: short times vary most. The time of a precision is the sum
/// over the parts of each one's shortest time.
PrecisionTimes time_precisions(const std::function<std::vector<double>(bool bf16)>& run,
                               double enough);

}  // namespace heed
