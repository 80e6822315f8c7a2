// libheed_nccl.so: NCCL for src/ranks/rendezvous.cpp, which loads it. Built apart from the program
// because it alone is compiled with headers of CUDA and NCCL (cmake/HeedNccl.cmake).
#define USE_C10D_NCCL 1
#include "ranks/nccl_plugin.h"

#include <c10/cuda/CUDAFunctions.h>

#include <chrono>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#include <type_traits>

/// heed::ranks::kMakeNccl. On the current device of the calling thread; throws c10::Error.
extern "C" c10d::Backend* heed_make_nccl_1(c10d::Store* store, int rank, int size,
                                           long milliseconds) {
  auto options = c10d::ProcessGroupNCCL::Options::create();
  options->timeout = std::chrono::milliseconds(milliseconds);
  // Errors are thrown while connecting, not at the first exchange.
  options->config.blocking = 1;
  auto group = c10::make_intrusive<c10d::ProcessGroupNCCL>(
      c10::intrusive_ptr<c10d::Store>::reclaim_copy(store), rank, size, options);
  const at::Device device(at::kCUDA, c10::cuda::current_device());
  group->setBoundDeviceId(device);
  group->eagerConnectSingleDevice(device);
  return group.release();
}

static_assert(std::is_same_v<decltype(&heed_make_nccl_1), heed::ranks::MakeNccl>);
