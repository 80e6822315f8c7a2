// The simulated accelerator does what the other tests of this program need of it.
#include "accelerator/device.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "accelerator/support.h"
#include "kernels/dropout.h"
#include "model/device.h"

namespace heed::accelerator {
namespace {

using at::Tensor;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Tensor numbers() {
  return model::upload(at::arange(6, at::kFloat).view({2, 3}), device());
}

TEST(AcceleratorDeathTest, HostCodeThatReadsOrWritesItsMemoryDies) {
  const Tensor x = numbers();
  EXPECT_DEATH(std::exit(x.const_data_ptr<float>()[0] == 0 ? 0 : 1), "");
  EXPECT_DEATH(x.mutable_data_ptr<float>()[0] = 1, "");
  // A kernel for the CPU that was chosen by mistake.
  EXPECT_DEATH(kernels::dropout(x, 0.5), "");
}

TEST(Accelerator, ComputesAndKeepsViews) {
  const Tensor x = numbers();
  EXPECT_EQ(x.device(), device());
  const Tensor row = x.select(0, 1);
  row.add_(10);
  EXPECT_TRUE(at::equal(x.cpu(), at::tensor({0, 1, 2, 13, 14, 15}, at::kFloat).view({2, 3})));
  EXPECT_TRUE(at::equal(at::matmul(x, x.t()).cpu(), at::matmul(x.cpu(), x.cpu().t())));
  EXPECT_TRUE(at::equal(x.unfold(1, 2, 1).contiguous().cpu(), x.cpu().unfold(1, 2, 1)));
}

TEST(Accelerator, RefusesTensorsOfTheHost) {
  const Tensor x = numbers(), host = at::ones({2, 3});
  EXPECT_THROW(x + host, c10::Error);
  EXPECT_THROW(at::cat({x, host}), c10::Error);
  EXPECT_THROW(x.index_select(0, at::tensor({1})), c10::Error);
  EXPECT_NO_THROW(x + at::scalar_tensor(1.0));  // as a GPU, which takes it along
}

TEST(Accelerator, CountsWhatTheHostWaitsFor) {
  const Tensor x = numbers();
  const Watch watch;
  const Tensor y = at::softmax(x * 2 + 1, -1).masked_fill(x.gt(2), 0).sum();
  EXPECT_THAT(watch.waits(Wait::kRead), IsEmpty());
  y.item<float>();
  x.cpu();
  at::nonzero(x);
  x.index({x.gt(2)});
  at::equal(x, x);
  EXPECT_THAT(watch.waits(Wait::kRead),
              ElementsAre("aten::_local_scalar_dense", "copy to the host Float[2, 3]",
                          "aten::nonzero", "aten::nonzero", "aten::equal"));
  EXPECT_THAT(watch.waits(Wait::kWrite), IsEmpty());
  at::ones({4}).to(device());
  EXPECT_THAT(watch.waits(Wait::kWrite), ElementsAre("copy from the host Float[4]"));
}

TEST(Accelerator, WhatIsReadBackArrivesBehindItsEvent) {
  const Tensor x = numbers().to(at::kDouble).flatten();
  const Watch watch;
  const model::Download first(x), second(x + 1);
  EXPECT_FALSE(first.arrived());
  EXPECT_EQ(first.host().const_data_ptr<double>()[5], 5);
  EXPECT_TRUE(first.arrived());
  EXPECT_FALSE(second.arrived());
  EXPECT_EQ(second.host().const_data_ptr<double>()[5], 6);
  second.host();
  EXPECT_THAT(watch.waits(Wait::kEvent), ElementsAre("event", "event"));
  EXPECT_THAT(watch.waits(Wait::kRead), IsEmpty());
}

TEST(Accelerator, ACopyThatIsReadTooEarlyHasNotArrived) {
  const Tensor x = numbers();
  const Tensor host = at::empty(x.sizes(), at::TensorOptions().pinned_memory(true));
  host.copy_(x, /*non_blocking=*/true);
  EXPECT_TRUE(host.isnan().all().item<bool>());
}

TEST(Accelerator, HasAsMuchMemoryAsItIsGiven) {
  const Tensor x = numbers();
  const int64_t before = memory_in_use();
  {
    const MemoryLimit limit(before + 1000);
    EXPECT_THROW(at::empty({1000}, x.options()), c10::OutOfMemoryError);
    const Tensor small = at::empty({100}, x.options());
    EXPECT_GT(memory_in_use(), before);
  }
  EXPECT_EQ(memory_in_use(), before);
}

TEST(Accelerator, CountsWhatItIsAskedToDo) {
  const Tensor x = numbers();
  const Work work;
  const Tensor row = x.select(0, 1).view({3});
  EXPECT_EQ(work.launches(), 0);
  EXPECT_EQ(work.bytes(), 0);
  const Tensor y = row + 1;
  row.add_(1);
  y.copy_(row);
  EXPECT_EQ(work.launches(), 3);
  EXPECT_EQ(work.bytes(), 3 * 4);
}

TEST(Accelerator, SaysHowMuchMemoryIsFree) {
  const Tensor x = numbers();
  const MemoryLimit limit(memory_in_use() + 1000);
  EXPECT_EQ(model::free_memory(device()), 1000);
  const Tensor y = at::empty({64}, x.options());
  EXPECT_EQ(model::free_memory(device()), 1000 - 64 * 4);
}

TEST(Accelerator, AutocastHasTheTypesOfCudas) {
  const Tensor x = numbers();
  const model::Autocast autocast(device(), at::kBFloat16);
  EXPECT_EQ(at::mm(x, x.t()).scalar_type(), at::kBFloat16);
  EXPECT_EQ(at::softmax(at::mm(x, x.t()), -1).scalar_type(), at::kFloat);
}

}  // namespace
}  // namespace heed::accelerator
