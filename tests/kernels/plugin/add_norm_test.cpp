// The kernels of add_norm() are compiled for GPUs, which needs none; on a GPU they compute.
// Skipped where NVRTC is not installed.
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "kernels/graph.h"
#include "kernels/layer_norm.h"
#include "kernels/plugin/compiler.h"
#include "kernels/plugin/cuda.h"
#include "message.h"

namespace heed::kernels {
namespace {

TEST(AddNormCode, IsCompiledForEachWidthTypeAndGpu) {
  if (const std::string why = gpu::why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  for (const int capability : {80, 90})
    for (const int64_t width : {7, 1024})
      for (const bool half : {false, true}) {
        const std::string code = gpu::add_norm_code({width, half, capability});
        EXPECT_EQ(code.substr(1, 3), "ELF");
        for (const char* const name : {"heed_add_norm", "heed_add_norm_gradient"})
          EXPECT_NE(code.find(std::string(".text.") + name + '\0'), std::string::npos) << name;
      }
}

TEST(AddNormCode, ThatIsNotCompiledSaysWhy) {
  if (const std::string why = gpu::why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  const std::string error = message_of<c10::Error>([] { gpu::add_norm_code({7, false, 12}); });
  EXPECT_NE(error.find("add_norm.cuh for sm_12"), std::string::npos) << error;
}

class CudaAddNorm : public testing::Cuda {};

TEST_F(CudaAddNorm, IsInTheLibrary) {
  EXPECT_EQ(AddNormKernels::why_not(gpu), "");
}

TEST_F(CudaAddNorm, DrawsAnotherMaskInEachReplayOfAGraph) {
  if (at::getNumGPUs() == 0) GTEST_SKIP() << "no GPU";
  at::globalContext().lazyInitDevice(at::kCUDA);
  const auto floats = at::device(gpu).dtype(at::kFloat);
  const Tensor x = at::ones({35, 512}, floats).requires_grad_(),
               base = at::zeros({35, 512}, floats);
  const Tensor weight = at::ones({512}, floats), bias = at::zeros({512}, floats);
  const Tensor sum = at::zeros({35, 512}, floats), gradient = at::zeros_like(sum);
  const Graph graph(gpu, [&] {
    const Tensor now = add_norm(base, x, 0.5, weight, bias, 1e-5).sum;
    now.sum().backward();
    const at::NoGradGuard no_grad;
    sum.copy_(now);
    gradient.copy_(x.grad());
    x.mutable_grad() = Tensor();
  });
  const Tensor before = sum.clone();
  graph.replay();
  EXPECT_FALSE(at::equal(sum, before));
  EXPECT_TRUE(at::equal(sum, gradient));  // both are 0 or 2 at the same places
  EXPECT_NEAR(sum.mean().item<float>(), 1, 0.06);
}

}  // namespace
}  // namespace heed::kernels
