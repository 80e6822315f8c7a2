// Seconds, GFLOP/s and the kernels of a GPU on this machine.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "study/cost_tables.h"

namespace heed::run {

double seconds_of(const std::function<void()>& run);

/// The median of `repeats` runs, in seconds; one more goes before them, unmeasured.
double median_seconds(int repeats, const std::function<void()>& run);

/// The median of numbers, not empty.
double median(std::vector<double> values);

/// GFLOP/s of a square fp32 or bf16 product, LibTorch's or the model's own, whichever is faster:
/// the ceiling that shares of peak refer to.
double gemm_gflops(bool bf16, int64_t size = 1024, int repeats = 8);

/// What the GPU does while `work` lasts; there must be one. What it has not finished when `work`
/// returns is missing.
study::KernelTimes watch_kernels(const std::function<void()>& work);

}  // namespace heed::run
