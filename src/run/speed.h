// Measurements on this machine: seconds and GFLOP/s.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace heed::run {

double seconds_of(const std::function<void()>& run);

/// The median of `repeats` runs, in seconds; one more goes before them, unmeasured.
double median_seconds(int repeats, const std::function<void()>& run);

/// The median of numbers, not empty.
double median(std::vector<double> values);

/// GFLOP/s of a square fp32 or bf16 product, LibTorch's or the model's own, whichever is faster:
/// the ceiling that shares of peak refer to.
double gemm_gflops(bool bf16, int64_t size = 1024, int repeats = 8);

}  // namespace heed::run
