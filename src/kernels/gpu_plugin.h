// What heed and its library for GPUs agree on.
#pragma once

#include "kernels/graph.h"

namespace heed::kernels {

constexpr const char* kGpuPlugin = "libheed_gpu.so";
// A function of it. Its name ends with the version of what it returns.
constexpr const char* kGraphRecorder = "heed_graph_recorder_1";

/// The process's own, which lives as long as it does.
using GraphRecorderOfGpus = GraphRecorder* (*)();

}  // namespace heed::kernels
