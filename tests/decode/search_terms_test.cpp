// Terms by the steps of LibTorch's models; all else of them is tested in tests/decode/search/.
#include <gtest/gtest.h>

#include <cmath>

#include "decode/model_steps.h"
#include "decode/toy_model.h"
#include "model/model.h"

namespace heed::decode {
namespace {

using toy::config_of;
using toy::FixedModel;
using toy::make_source;
using toy::search_one;

TEST(Terms, AreThereByStepsOfLibTorchAndOfEnsembles) {
  FixedModel model({0, 0.1F, 0, 0.3F, 0.5F, 0.1F}), other({0, 0.1F, 0, 0.3F, 0.3F, 0.3F});
  SearchOptions options{.config = config_of(5, LengthPenalty::none)};
  const std::vector<TermPieces> terms = {TermPieces{{5}}};
  options.terms = {terms};
  const auto found = search_one(model, {4}, options);
  EXPECT_EQ(found[0].ids, std::vector<int32_t>({5}));
  EXPECT_NEAR(found[0].log_probability, std::log(0.1 * 0.3), 1e-6);
  options.terms = {{}, terms};
  const auto source = make_source({{4}, {5, 4}});
  const auto two = search({&model, &other}, {source, source}, options);
  EXPECT_TRUE(two[0][0].ids.empty());
  EXPECT_EQ(two[1][0].ids, std::vector<int32_t>({5}));
  EXPECT_NEAR(two[1][0].log_probability, std::log(0.2 * 0.3), 1e-6);
}

}  // namespace
}  // namespace heed::decode
