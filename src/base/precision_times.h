// Measures in which format of numbers a processor multiplies faster. Its set of instructions does
// not say: a product of bf16 may take half the time of one of fp32, or one and a half times as
// long.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace heed {

/// The times of the same products in each format, in seconds of a processor. 0: not measured.
struct PrecisionTimes {
  /// A format with fewer bits is taken only if it needs less than this share of the time: where
  /// two formats are equally fast noise must not choose, and the one with more bits is better.
  static constexpr double kShare = 0.95;

  double fp32 = 0, bf16 = 0, int8 = 0;
  /// MedianTime::spread of the format where it is largest.
  double spread = 0;

  /// Whether bf16 is faster than fp32.
  bool favour_bf16() const { return bf16 > 0 && bf16 < kShare * fp32; }
  /// Whether int8 is faster than the better one of the two others.
  bool favour_int8() const { return int8 > 0 && int8 < kShare * (favour_bf16() ? bf16 : fp32); }
  /// Returns "12.3 ms in fp32, 8.0 ms in bf16 and 4.1 ms in int8", of the formats measured.
  std::string text() const;

  bool operator==(const PrecisionTimes&) const = default;
};

/// Seconds that a processor has worked for the calling thread, which other programs do not
/// lengthen.
double thread_seconds();

struct MedianTime {
  double seconds = 0;
  /// The middle half of the times that were measured is so wide, as a share of their median.
  double spread = 0;

  bool operator==(const MedianTime&) const = default;
};

/// Each of `runs` returns the seconds of each of its parts, as many parts each time. All runs are
/// called in turn five times, and up to 24 times as long as all calls together have taken less than
/// `enough` seconds of this thread: short times vary most. Returns for each run the sum over its
/// parts of each one's median, and the spread of the sums of a call.
std::vector<MedianTime> median_times(const std::vector<std::function<std::vector<double>()>>& runs,
                                     double enough);

}  // namespace heed
