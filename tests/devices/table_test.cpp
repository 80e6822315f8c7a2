// The table on the CPU and on the simulated device, and whether it would find an error.
#include "devices/table.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <ostream>
#include <set>
#include <stdexcept>

#include "accelerator/device.h"

namespace heed::devices {

/// For messages: its bytes say nothing.
void PrintTo(const Operator& one, std::ostream* out) {
  *out << one.name;
}

namespace {

std::string name_of_case(const ::testing::TestParamInfo<Operator>& info) {
  std::string name = info.param.name;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

constexpr Precision kPrecisions[] = {Precision::fp32, Precision::tf32, Precision::bf16,
                                     Precision::fp16};

class EveryOperator : public ::testing::TestWithParam<Operator> {
 protected:
  static void expect_agreement(const at::Device& device) {
    for (const Precision precision : precisions_of(device)) {
      if (GetParam().bounds.of(precision) == 0) continue;
      const Row row = run(GetParam(), device, precision);
      EXPECT_TRUE(row.ok()) << row.text();
    }
  }
};

TEST_P(EveryOperator, AgreesWithTheJudgeOnTheCpu) {
  expect_agreement(at::kCPU);
}

TEST_P(EveryOperator, AgreesWithTheJudgeOnTheSimulatedDevice) {
  expect_agreement(accelerator::device());
}

// Each tensor by itself in fp32, for a mistake may concern one gradient only; but for gradients
// that are as good as 0. Whole models in bf16 are that far off by rounding alone: there the error
// has to be twice as large.
TEST_P(EveryOperator, FindsAnErrorOfFivePercent) {
  const Values& judge = judged(GetParam());
  ASSERT_FALSE(judge.results.empty());
  for (const Precision precision : kPrecisions) {
    const double bound = GetParam().bounds.of(precision);
    if (bound == 0) continue;
    const double fault = bound > 0.05 && precision == Precision::bf16 ? 0.1 : 0.05;
    Values wrong = judge;
    for (Tensors* tensors : {&wrong.results, &wrong.gradients})
      for (auto& [name, tensor] : *tensors) tensor = tensor * (1 + fault);
    EXPECT_GT(largest_error(wrong, judge).size, bound) << config::name_of(precision);
    if (precision != Precision::fp32) continue;
    for (const Error& error : errors(wrong, judge)) {
      const bool found = error.size > bound, as_good_as_none = error.size < 1e-3 * fault;
      EXPECT_TRUE(found || as_good_as_none) << error.of << ' ' << error.size;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Table, EveryOperator, ::testing::ValuesIn(table()), name_of_case);

TEST(Table, HasEachNameOnce) {
  std::set<std::string> names;
  for (const Operator& one : table()) EXPECT_TRUE(names.insert(one.name).second) << one.name;
}

Tensor numbers(const std::vector<double>& values) {
  return at::tensor(values, at::kDouble);
}

TEST(LargestError, IsMeasuredByTheLargestNumber) {
  const Values judge{.results = {{"y", numbers({2, -10, 1})}, {"z", numbers({0.5})}},
                     .gradients = {{"x", numbers({100, 50})}, {"b", numbers({1e-9})}}};
  EXPECT_EQ(largest_error(judge, judge).size, 0);
  Values found = judge;
  found.results["y"] = numbers({2.5, -10, 1});  // 0.5 / 10
  EXPECT_NEAR(largest_error(found, judge).size, 0.05, 1e-12);
  found.results["z"] = numbers({0.55});  // 0.05 / 0.5
  EXPECT_NEAR(largest_error(found, judge).size, 0.1, 1e-12);
  EXPECT_EQ(largest_error(found, judge).of, "z");
  found.gradients["b"] = numbers({2});  // by a tenth of 100
  EXPECT_NEAR(largest_error(found, judge).size, 0.2, 1e-6);
  EXPECT_EQ(largest_error(found, judge).of, "gradient of b");
}

TEST(LargestError, IsInfiniteForWhatIsNotThere) {
  const Values judge{.results = {{"y", numbers({1, INFINITY})}}, .gradients = {}};
  EXPECT_EQ(largest_error(judge, judge).size, 0);
  for (const Values& found :
       {Values{}, Values{.results = {{"y", numbers({1})}}, .gradients = {}},
        Values{.results = {{"y", numbers({1, 1})}}, .gradients = {}},
        Values{.results = {{"y", numbers({1, NAN})}}, .gradients = {}},
        Values{.results = judge.results, .gradients = {{"x", numbers({1})}}}}) {
    const Row row{.name = "", .error = largest_error(found, judge), .bound = 1e9, .failure = {}};
    EXPECT_FALSE(row.ok());
  }
}

TEST(Table, AnOperatorThatThrowsHasFailed) {
  const Operator broken{"broken", [](const DevicePrecision& on) -> Values {
                          if (!on.is_judge()) throw std::runtime_error("no kernel");
                          return {};
                        }};
  const Row row = run(broken, at::kCPU, Precision::fp32);
  EXPECT_FALSE(row.ok());
  EXPECT_THAT(row.text(), ::testing::HasSubstr("FAILED: no kernel"));
}

}  // namespace
}  // namespace heed::devices
