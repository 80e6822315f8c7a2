#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "model/embedding.h"
#include "model/kinds.h"
#include "model/model.h"

namespace heed::model {
namespace {

// 160 is enough for LAPACK to work in blocks.
TEST(Initial, AnOrthogonalMatrixIsTheSameOnAnyNumberOfThreads) {
  const int before = at::get_num_threads();
  Tensor first;
  for (const int threads : {1, 2, 3}) {
    at::set_num_threads(threads);
    at::manual_seed(7);
    const Tensor matrix = orthogonal(160);
    EXPECT_EQ(at::get_num_threads(), threads);
    if (!first.defined()) first = matrix;
    EXPECT_TRUE(at::equal(matrix, first)) << threads;
  }
  at::set_num_threads(before);
  EXPECT_TRUE(at::allclose(at::mm(first, first.t()), at::eye(160), 0, 1e-5));
}

TEST(SizesOnly, AModelOfEachKindHasTheSizesOfTheRealOneAndNoNumbers) {
  std::vector<testing::NamedConfig> kinds = testing::recurrent_kinds();
  for (testing::NamedConfig& kind : testing::transformer_kinds()) kinds.push_back(std::move(kind));
  for (const auto& [name, config] : kinds) {
    const auto real = make_model(config, {.source = 13, .target = 13});
    ModelPtr counted;
    {
      const WeightsBegin sizes_only(InitialWeights::sizes_only);
      EXPECT_EQ(WeightsBegin::now(), InitialWeights::sizes_only);
      counted = make_model(config, {.source = 13, .target = 13});
    }
    EXPECT_EQ(WeightsBegin::now(), InitialWeights::drawn);
    EXPECT_EQ(count_parameters(*counted), count_parameters(*real)) << name;
    const auto sizes = counted->parameters(), expected = real->parameters();
    ASSERT_EQ(sizes.size(), expected.size()) << name;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      EXPECT_EQ(sizes[i].sizes(), expected[i].sizes()) << name;
      if (sizes[i].dim() != 2) continue;
      EXPECT_TRUE(sizes[i].is_meta() || sizes[i].storage().nbytes() <= 4) << name;
    }
  }
}

}  // namespace
}  // namespace heed::model
