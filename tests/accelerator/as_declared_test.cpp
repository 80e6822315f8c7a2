// The same stand-in for an operation of two versions.
#include "accelerator/as_declared.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <optional>
#include <type_traits>

namespace heed::accelerator {
namespace {

using at::Tensor;
using Older = Tensor(const Tensor&, int64_t, std::optional<double>);
using Newer = Tensor(const Tensor&, int64_t, std::optional<double>, const std::optional<Tensor>&,
                     std::optional<int64_t>);

Tensor stand_in(const Tensor& x, int64_t times, std::optional<double> added) {
  return x * times + added.value_or(0);
}

using OfOlder = AsDeclared<Older, stand_in>;
using OfNewer = AsDeclared<Newer, stand_in>;
static_assert(std::is_same_v<decltype(OfOlder::call), Older>);
static_assert(std::is_same_v<decltype(OfNewer::call), Newer>);

TEST(AsDeclared, PassesOnWhatBothVersionsHave) {
  const Tensor seven = at::full({}, 7);
  EXPECT_EQ(OfOlder::call(seven, 3, 0.5).item<double>(), 21.5);
  EXPECT_EQ(OfNewer::call(seven, 3, 0.5, std::nullopt, std::nullopt).item<double>(), 21.5);
  EXPECT_EQ(OfNewer::call(seven, 2, std::nullopt, std::nullopt, std::nullopt).item<double>(), 14);
}

TEST(AsDeclared, RefusesArgumentsOfTheNewerVersion) {
  const Tensor seven = at::full({}, 7);
  EXPECT_THROW(OfNewer::call(seven, 3, 0.5, seven, std::nullopt), c10::Error);
  EXPECT_THROW(OfNewer::call(seven, 3, 0.5, std::nullopt, 1), c10::Error);
}

}  // namespace
}  // namespace heed::accelerator
