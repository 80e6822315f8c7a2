#include "model/device.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace heed::model {
namespace {

std::string error_of(const std::string& device) {
  try {
    open_device(device);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(Device, TheCpuIsAlwaysThere) {
  EXPECT_TRUE(open_device("cpu").is_cpu());
  const at::Device best = open_device("auto");
  EXPECT_TRUE(best.is_cpu() || best.is_cuda());
}

TEST(Device, ANameThatIsNoneSaysWhatIsAllowed) {
  for (const char* name :
       {"gpu", "", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "CPU", "cuda:99999999999"})
    EXPECT_NE(error_of(name).find("expected auto, cpu, cuda or cuda:N"), std::string::npos) << name;
}

TEST(Device, AGpuThatIsNotThereIsAUserErrorWithItsCure) {
  const std::string error = error_of("cuda:4000");
  EXPECT_EQ(error.find("device: cuda:4000: "), 0U) << error;
  EXPECT_TRUE(error.find("set device to cpu") != std::string::npos ||
              error.find("counted from 0") != std::string::npos)
      << error;
}

TEST(Device, PrecisionsByName) {
  EXPECT_EQ(choose_precision("fp32", at::kCPU), at::kFloat);
  EXPECT_EQ(choose_precision("bf16", at::kCPU), at::kBFloat16);
  const at::ScalarType best = choose_precision("auto", at::kCPU);
  EXPECT_TRUE(best == at::kFloat || best == at::kBFloat16);
  EXPECT_THROW(choose_precision("fp16", at::kCPU), UserError);
  EXPECT_THROW(choose_precision("float", at::kCPU), UserError);
}

TEST(Device, AutocastLowersProductsForItsLifetimeOnly) {
  const at::Tensor x = at::ones({3, 3});
  {
    const Autocast autocast(at::kCPU, at::kBFloat16);
    EXPECT_EQ(at::mm(x, x).scalar_type(), at::kBFloat16);
    {
      const Autocast inner(at::kCPU, at::kBFloat16);
      EXPECT_EQ(at::mm(x, x).scalar_type(), at::kBFloat16);
    }
    EXPECT_EQ(at::mm(x, x).scalar_type(), at::kBFloat16);
  }
  EXPECT_EQ(at::mm(x, x).scalar_type(), at::kFloat);
  const Autocast nothing(at::kCPU, at::kFloat);
  EXPECT_EQ(at::mm(x, x).scalar_type(), at::kFloat);
}

}  // namespace
}  // namespace heed::model
