#include <ATen/ATen.h>
#include <c10/core/CPUAllocator.h>
#include <gtest/gtest.h>

#include "model/device.h"

namespace heed::model {
namespace {

constexpr int64_t kMiB = 1 << 20;

class HostMemoryPool : public ::testing::Test {
 protected:
  HostMemoryPool() { pool_host_memory(); }
  ~HostMemoryPool() override {
    c10::SetCPUAllocator(c10::GetDefaultCPUAllocator(), /*priority=*/1);
  }
};

at::Tensor bytes(int64_t count) {
  return at::empty({count}, at::kByte);
}

TEST_F(HostMemoryPool, CountsWhatIsUsedAndTheMostOfIt) {
  const int64_t before = host_memory().used;
  forget_peak();
  {
    const at::Tensor a = bytes(5 * kMiB), b = bytes(100);
    const int64_t used = host_memory().used - before;
    EXPECT_GE(used, 5 * kMiB + 100);
    EXPECT_LE(used, 5 * kMiB * 9 / 8 + 1000);
  }
  EXPECT_EQ(host_memory().used, before);
  EXPECT_GE(host_memory().most - before, 5 * kMiB);
  forget_peak();
  EXPECT_EQ(host_memory().most, before);
}

TEST_F(HostMemoryPool, GivesAFreedBlockToTheNextTensorOfAboutItsSize) {
  const void* address = bytes(7 * kMiB).data_ptr();
  EXPECT_EQ(bytes(7 * kMiB - 5).data_ptr(), address);
  EXPECT_EQ(bytes(6 * kMiB).data_ptr(), address);
  EXPECT_NE(bytes(kMiB).data_ptr(), address);  // would waste most of it
}

TEST_F(HostMemoryPool, AlignsEverySize) {
  for (const int64_t count : {1, 63, 64, 65, 1000, 32700, 32768, 40000, 999999, 5000001}) {
    at::Tensor tensor = bytes(count);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.data_ptr()) % 64, 0U) << count;
    tensor.fill_(7);  // every byte is there
    EXPECT_EQ(tensor.sum().item<int64_t>(), 7 * count);
  }
  EXPECT_EQ(bytes(0).numel(), 0);
}

TEST_F(HostMemoryPool, DoesNotHoardWhenSizesChange) {
  int64_t most = 0;
  for (int64_t i = 1; i <= 200; ++i) most = bytes(i * kMiB).numel();
  EXPECT_LE(host_memory().held, (most * 9 / 8 + host_memory().used) * 5 / 4 + 64 * kMiB);
}

TEST_F(HostMemoryPool, TakesBackWhatOutlivesIt) {
  at::Tensor survivor = bytes(3 * kMiB);
  c10::SetCPUAllocator(c10::GetDefaultCPUAllocator(), /*priority=*/1);
  const int64_t before = host_memory().used;
  survivor = at::Tensor();
  EXPECT_LE(host_memory().used, before - 3 * kMiB);
}

}  // namespace
}  // namespace heed::model
