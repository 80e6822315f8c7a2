// libheed_nccl.so as src/ranks/rendezvous.cpp loads it: without a GPU as far as the search for one,
// with one as a group of one rank. Skipped where it is not built or CUDA's libraries are not
// installed.
#include "ranks/nccl_plugin.h"

#include <ATen/ATen.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/FileStore.hpp>

#include "message.h"
#include "paths.h"
#include "temporary_folder.h"

namespace heed::ranks {
namespace {

class Nccl : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto file = std::filesystem::path(paths::kHeed).parent_path() / kNcclPlugin;
    if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not built";
    // LibTorch asks for CUDA once, so this comes before any use of it.
    Dl_info info{};
    ASSERT_NE(dladdr(reinterpret_cast<const void*>(&at::globalContext), &info), 0);
    const auto torch = std::filesystem::path(info.dli_fname).parent_path() / "libtorch_cuda.so";
    if (!dlopen(torch.c_str(), RTLD_NOW | RTLD_GLOBAL)) GTEST_SKIP() << dlerror();
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_TRUE(library) << dlerror();
    ASSERT_TRUE(at::globalContext().hasCUDART());
    make = reinterpret_cast<MakeNccl>(dlsym(library, kMakeNccl));
    ASSERT_TRUE(make) << dlerror();
    store = c10::make_intrusive<c10d::FileStore>(folder / "store", 1);
  }

  TemporaryFolder folder;
  MakeNccl make = nullptr;
  c10::intrusive_ptr<c10d::Store> store;
};

TEST_F(Nccl, SaysWhereThereIsNoGpu) {
  if (at::getNumGPUs() > 0) GTEST_SKIP() << "there is one";
  const std::string error = message_of<c10::Error>([&] { make(store.get(), 0, 1, 5000); });
  EXPECT_NE(error.find("no GPUs found"), std::string::npos) << error;
  EXPECT_EQ(store.use_count(), 1U);  // what was not made holds nothing
}

TEST_F(Nccl, ExchangesOnAGpu) {
  if (at::getNumGPUs() == 0) GTEST_SKIP() << "no GPU";
  at::globalContext().lazyInitDevice(at::kCUDA);
  const auto nccl = c10::intrusive_ptr<c10d::Backend>::reclaim(make(store.get(), 0, 1, 60000));
  EXPECT_EQ(nccl->getBackendName(), "nccl");
  EXPECT_EQ(nccl->getSize(), 1);
  at::Tensor mine = at::arange(7, at::device(at::kCUDA).dtype(at::kFloat));
  at::Tensor all = at::zeros_like(mine), shards = at::zeros_like(mine);
  nccl->_allgather_base(all, mine)->wait();
  EXPECT_TRUE(at::equal(all, mine));
  std::vector<int64_t> sizes = {7};
  nccl->alltoall_base(shards, mine, sizes, sizes)->wait();
  EXPECT_TRUE(at::equal(shards, mine));
}

}  // namespace
}  // namespace heed::ranks
