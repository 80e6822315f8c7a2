#include "model/device.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace heed::model {
namespace {

std::string device_error(const std::string& device) {
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
    EXPECT_NE(device_error(name).find("expected auto, cpu, cuda or cuda:N"), std::string::npos)
        << name;
}

TEST(Device, AGpuThatIsNotThereIsAUserErrorWithItsCure) {
  const std::string error = device_error("cuda:4000");
  EXPECT_EQ(error.find("device: cuda:4000: "), 0U) << error;
  EXPECT_TRUE(error.find("set device to cpu") != std::string::npos ||
              error.find("counted from 0") != std::string::npos)
      << error;
}

TEST(Device, PrecisionsByName) {
  EXPECT_EQ(choose_precision("fp32", at::kCPU), at::kFloat);
  EXPECT_EQ(choose_precision("bf16", at::kCPU), at::kBFloat16);
  EXPECT_THROW(choose_precision("auto", at::kCPU), Bug);  // it is measured
  EXPECT_THROW(choose_precision("fp16", at::kCPU), UserError);
  EXPECT_EQ(choose_precision("tf32", at::kCPU), at::kFloat);
  EXPECT_THROW(choose_precision("float", at::kCPU), UserError);
}

TEST(Device, Fp32OnAGpuIsFp32UnlessTf32IsAskedFor) {
  const at::Device gpu(at::kCUDA, 0);
  const at::Context& context = at::globalContext();
  for (const char* name : {"tf32", "fp32"}) {
    EXPECT_EQ(use_precision(name, gpu), at::kFloat);
    EXPECT_EQ(precision_name(at::kFloat), name);
    const bool wanted = std::string(name) == "tf32";
    EXPECT_EQ(context.allowTF32CuBLAS(), wanted);  // throws where LibTorch's settings differ
    EXPECT_EQ(context.allowTF32CuDNN(), wanted);
    for (const auto operation : {at::Float32Op::CONV, at::Float32Op::RNN, at::Float32Op::MATMUL})
      EXPECT_EQ(context.float32Precision(at::Float32Backend::CUDA, operation) ==
                    at::Float32Precision::TF32,
                wanted);
  }
  EXPECT_EQ(use_precision("tf32", at::kCPU), at::kFloat);
  EXPECT_EQ(precision_name(at::kFloat), "fp32");
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
