// What heed and its library for GPUs agree on.
#pragma once

#include "kernels/add_norm.h"
#include "kernels/graph.h"

namespace heed::kernels {

constexpr const char* kGpuPlugin = "libheed_gpu.so";
// Functions of it. Their names end with the version of what they return.
constexpr const char* kGraphRecorder = "heed_graph_recorder_1";
constexpr const char* kAddNormKernels = "heed_add_norm_kernels_1";

/// The process's own, which live as long as it does.
using GraphRecorderOfGpus = GraphRecorder* (*)();
using AddNormKernelsOfGpus = AddNormKernels* (*)();

}  // namespace heed::kernels
