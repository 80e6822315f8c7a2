#include "fuzz/coverage.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

// The address of the program in memory: addresses relative to it are the same in every run.
extern "C" const char __executable_start;

namespace heed::fuzz {
namespace {

constexpr std::size_t kSteps = 1 << 16;
// A byte per step, found by its hash. Plain arrays: what instrumentation calls must not be
// instrumented itself.
unsigned char path[kSteps], known[kSteps];
uintptr_t before = 0;

}  // namespace

void begin_path() {
  std::memset(path, 0, sizeof path);
  before = 0;
}

bool path_is_new() {
  bool any = false;
  for (std::size_t i = 0; i < kSteps; ++i) {
    any |= path[i] != 0 && known[i] == 0;
    known[i] |= path[i];
  }
  return any;
}

}  // namespace heed::fuzz

#ifdef __clang__
#define HEED_NOT_COVERED __attribute__((no_sanitize("address", "undefined", "coverage")))
#else
#define HEED_NOT_COVERED __attribute__((no_sanitize("address", "undefined"), no_sanitize_coverage))
#endif

extern "C" void __sanitizer_cov_trace_pc();

/// The compiler calls it at the beginning of every block of instrumented code.
HEED_NOT_COVERED void __sanitizer_cov_trace_pc() {
  const auto place = reinterpret_cast<uintptr_t>(__builtin_return_address(0)) -
                     reinterpret_cast<uintptr_t>(&__executable_start);
  const uintptr_t step = (place ^ (heed::fuzz::before << 3)) * 0x9E3779B97F4A7C15;
  heed::fuzz::path[step >> 48] = 1;
  heed::fuzz::before = place;
}
