#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/error.h"
#include "study/attention_matrix.h"

namespace heed::study {
namespace {

AttentionMatrix two_by_three(int64_t layer) {
  return {.sentence = 7,
          .layer = layer,
          .target = {"▁a", "</s>"},
          .source = {"▁x", "\"", "</s>"},
          .weights = {0.5f, 0.25f, 0.25f, 0.12344f, 0.12346f, 0.7531f}};
}

TEST(LayersJson, HasTokensOnceAndTheRowsOfEachLayer) {
  AttentionMatrix other = two_by_three(1);
  other.weights[0] = NAN;
  EXPECT_EQ(layers_json(std::vector{two_by_three(0), other}),
            R"({"line":7,"source":["▁x","\"","</s>"],"target":["▁a","</s>"],)"
            R"("layers":[{"layer":0,"weights":[[0.5,0.25,0.25],[0.1234,0.1235,0.7531]]},)"
            R"({"layer":1,"weights":[[null,0.25,0.25],[0.1234,0.1235,0.7531]]}]})");
}

TEST(LayersJson, OfLayersThatDoNotBelongTogetherIsABug) {
  AttentionMatrix other = two_by_three(1);
  other.source[0] = "▁y";
  EXPECT_THROW(layers_json(std::vector{two_by_three(0), other}), Bug);
  EXPECT_THROW(layers_json({}), Bug);
}

}  // namespace
}  // namespace heed::study
