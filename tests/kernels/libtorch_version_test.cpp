#include "kernels/libtorch_version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/headeronly/version.h>

#include <string>

namespace heed::kernels {
namespace {

constexpr uint64_t version(uint64_t major, uint64_t minor, uint64_t patch) {
  return (major * 0x10000 + minor * 0x100 + patch) << 40;
}
static_assert(version(TORCH_VERSION_MAJOR, TORCH_VERSION_MINOR, TORCH_VERSION_PATCH) ==
              TORCH_ABI_VERSION - TORCH_VERSION_ABI_TAG);

TEST(LibTorchVersion, AnotherPatchIsTheSameInterface) {
  EXPECT_EQ(why_not_libtorch(version(2, 14, 0), version(2, 14, 1), "/torch/lib"), "");
  EXPECT_EQ(why_not_libtorch(version(2, 14, 0), version(2, 14, 0) + 7, "/torch/lib"), "");  // tag
}

TEST(LibTorchVersion, AnotherMinorVersionIsNamedWithItsFolder) {
  EXPECT_EQ(
      why_not_libtorch(version(2, 11, 0), version(2, 15, 3), "/torch/lib"),
      "/torch/lib: this is LibTorch 2.15.3, and heed was built with 2.11, which does not fit; "
      "install torch 2.11.*, or build heed with the other one (docs/install.md)");
  EXPECT_THAT(why_not_libtorch(version(2, 15, 0), version(2, 11, 0), "/torch/lib"),
              ::testing::HasSubstr("install torch 2.15.*"));
  EXPECT_THAT(why_not_libtorch(version(2, 11, 0), version(3, 11, 0), "/torch/lib"),
              ::testing::HasSubstr("LibTorch 3.11.0"));
}

TEST(LibTorchVersion, OfThisProcessIsThatOfTheHeaders) {
  EXPECT_NO_THROW(require_libtorch_of_headers());
}

}  // namespace
}  // namespace heed::kernels
