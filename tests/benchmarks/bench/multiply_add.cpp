#include "benchmarks/bench/multiply_add.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/error.h"
#include "kernels/rows/versions.h"
#include "run/speed.h"

namespace heed::bench {
namespace {

// Sums that are independent of each other hide the latency of each; with two factors they fit into
// the sixteen registers of AVX2.
constexpr int64_t kSums = 12;
constexpr int64_t kTimes = int64_t{1} << 21;

/// Every number of x [width] becomes the sum of kSums numbers that were `times` times halved and
/// increased.
template <int64_t width>
HEED_LOOP void multiply_add(float* x, int64_t times) {
  using Lanes = typename kernels::Vectors<width>::Floats;
  Lanes start;
  kernels::load(start, x);
  Lanes sums[kSums];
#pragma GCC unroll 12
  for (int64_t i = 0; i < kSums; ++i) sums[i] = start + static_cast<float>(i);
  const Lanes half = start * 0 + 0.5F;
  for (int64_t k = 0; k < times; ++k)
#pragma GCC unroll 12
    for (int64_t i = 0; i < kSums; ++i) sums[i] = sums[i] * half + start;
#pragma GCC unroll 12
  for (int64_t i = 1; i < kSums; ++i) sums[0] += sums[i];
  for (int64_t lane = 0; lane < width; ++lane) x[lane] = sums[0][lane];
}

int64_t lanes() {
  switch (kernels::processor().level) {
    case kernels::InstructionSet::v4:
      return 16;
    case kernels::InstructionSet::v3:
      return 8;
    case kernels::InstructionSet::plain:
      return 4;
  }
  throw Bug("a level without a width");
}

}  // namespace

double multiply_add_gflops() {
  const int64_t threads = at::get_num_threads();
  std::vector<float> numbers(static_cast<std::size_t>(threads * 16), 1);
  double seconds = std::numeric_limits<double>::infinity();
  for (int run = 0; run < 5; ++run) {
    const double now = run::seconds_of([&] {
      at::parallel_for(0, threads, 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          kernels::fastest<multiply_add<4>, multiply_add<8>, multiply_add<16>>(
              numbers.data() + i * 16, kTimes);
      });
    });
    seconds = std::min(seconds, now);
  }
  for (const float number : numbers) expect(number > 0, "sums of numbers above 0");
  return static_cast<double>(2 * kSums * lanes() * kTimes * threads) / seconds / 1e9;
}

}  // namespace heed::bench
