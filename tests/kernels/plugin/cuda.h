// LibTorch's libraries for CUDA, as far as they are installed.
#pragma once

#include <ATen/ATen.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "kernels/gpu_plugin.h"
#include "paths.h"

namespace heed::kernels::testing {

/// Skipped where libheed_gpu.so is not built or CUDA's libraries are not installed.
class Cuda : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto file = std::filesystem::path(paths::kHeed).parent_path() / kGpuPlugin;
    if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not built";
    // LibTorch asks for CUDA once, so this comes before any use of it.
    Dl_info info{};
    ASSERT_NE(dladdr(reinterpret_cast<const void*>(&at::globalContext), &info), 0);
    const auto torch = std::filesystem::path(info.dli_fname).parent_path() / "libtorch_cuda.so";
    if (!dlopen(torch.c_str(), RTLD_NOW | RTLD_GLOBAL)) GTEST_SKIP() << dlerror();
  }

  const at::Device gpu{at::kCUDA, 0};
};

}  // namespace heed::kernels::testing
