// libheed_gpu.so as src/kernels/graph.cpp loads it: without a GPU as far as the search for one.
// Skipped where it is not built or CUDA's libraries are not installed.
#include <ATen/ATen.h>

#include "base/error.h"
#include "kernels/graph.h"
#include "kernels/plugin/cuda.h"
#include "message.h"

namespace heed::kernels {
namespace {

class CudaGraph : public testing::Cuda {};

TEST_F(CudaGraph, SaysWhereThereIsNoGpu) {
  ASSERT_EQ(Graph::why_not(gpu), "");  // the library loads
  if (at::getNumGPUs() > 0) GTEST_SKIP() << "there is one";
  int calls = 0;
  const std::string error =
      message_of<c10::Error>([&] { const Graph graph(gpu, [&] { ++calls; }); });
  EXPECT_NE(error.find("no GPUs found"), std::string::npos) << error;
  EXPECT_EQ(calls, 0);
}

TEST_F(CudaGraph, DoesOnAGpuWhatItRecordedWithNewNumbers) {
  if (at::getNumGPUs() == 0) GTEST_SKIP() << "no GPU";
  at::globalContext().lazyInitDevice(at::kCUDA);
  const at::Tensor x = at::arange(7, at::device(gpu).dtype(at::kFloat));
  const at::Tensor sum = at::zeros({}, x.options()), drawn = at::zeros_like(x);
  const Graph graph(gpu, [&] {
    sum.add_((x * 2).sum());
    drawn.copy_(at::rand_like(x));
  });
  EXPECT_EQ(sum.item<float>(), 42);  // once, though it was recorded, too
  const at::Tensor before = drawn.clone();
  x.fill_(1);
  graph.replay();
  EXPECT_EQ(sum.item<float>(), 56);
  EXPECT_FALSE(at::equal(drawn, before));
  at::Generator generator = at::globalContext().defaultGenerator(gpu);
  generator.set_current_seed(5);
  graph.replay();
  generator.set_current_seed(5);
  EXPECT_TRUE(at::equal(drawn, at::rand_like(x)));
}

TEST_F(CudaGraph, OthersAreRecordedAfterTheLastOneIsGoneAndAfterOneThatCannotBe) {
  if (at::getNumGPUs() == 0) GTEST_SKIP() << "no GPU";
  at::globalContext().lazyInitDevice(at::kCUDA);
  const at::Tensor x = at::ones({7}, at::device(gpu).dtype(at::kFloat));
  for (int i = 0; i < 2; ++i) {
    const Graph graph(gpu, [&] { x.add_(1); });
    graph.replay();
  }
  EXPECT_EQ(x[0].item<float>(), 5);
  EXPECT_THROW(Graph(gpu, [&] { x.add_(at::rand_like(x)).sum().item<float>(); }), c10::Error);
  const at::Tensor drawn = at::rand_like(x);  // the generator does not wait for the end of it
  EXPECT_FALSE(at::equal(drawn, at::rand_like(x)));
  const at::Tensor y = at::zeros({7}, x.options());
  const Graph graph(gpu, [&] { y.add_(1); });
  graph.replay();
  EXPECT_EQ(y[3].item<float>(), 2);
}

TEST(Graph, IsRefusedWhereThereAreNone) {
  EXPECT_EQ(Graph::why_not(at::kCPU), "a CPU has none");
  EXPECT_THROW(Graph(at::kCPU, [] {}), UserError);
}

}  // namespace
}  // namespace heed::kernels
