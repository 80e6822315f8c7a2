// What heed and its library for CUDA graphs agree on.
#pragma once

#include "kernels/graph.h"

namespace heed::kernels {

constexpr const char* kGraphsPlugin = "libheed_graphs.so";
constexpr const char* kGraphRecorder =
    "heed_graph_recorder_1";  // ends with this agreement's version

/// The process's own, which lives as long as it does.
using GraphRecorderOfGpus = GraphRecorder* (*)();

}  // namespace heed::kernels
