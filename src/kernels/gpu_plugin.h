// The names by which heed finds its library for GPUs and the function in it.
#pragma once

#include "kernels/graph.h"

namespace heed::kernels {

constexpr const char* kGpuPlugin = "libheed_gpu.so";
// A function of this library. The number at the end of its name is the version of the interface
// GraphRecorder.
constexpr const char* kGraphRecorder = "heed_graph_recorder_1";

/// The type of this function. It returns the process's only recorder, which lives as long as the
/// process.
using GraphRecorderOfGpus = GraphRecorder* (*)();

}  // namespace heed::kernels
