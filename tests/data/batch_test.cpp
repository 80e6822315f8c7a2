#include "data/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heed::data {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Batch, IsPaddedAndFramed) {
  const Example a{{5, 6, 7}, {8}, {0, 4}}, b{{9}, {10, 11}, {1, 2}};
  const Batch batch = make_batch({&a, &b});
  EXPECT_EQ(batch.size, 2);
  EXPECT_EQ(batch.source_length, 4);
  EXPECT_EQ(batch.target_length, 3);
  EXPECT_THAT(batch.source, ElementsAre(5, 6, 7, 3, /**/ 9, 3, 0, 0));
  EXPECT_THAT(batch.target_input, ElementsAre(2, 8, 0, /**/ 2, 10, 11));
  EXPECT_THAT(batch.target_output, ElementsAre(8, 3, 0, /**/ 10, 11, 3));
  EXPECT_THAT(batch.source_lengths, ElementsAre(4, 2));
  EXPECT_THAT(batch.target_lengths, ElementsAre(2, 3));
  EXPECT_EQ(batch.source_tokens(), 6);
  EXPECT_EQ(batch.target_tokens(), 5);
  EXPECT_EQ(batch.origins[0].line, 4);
  EXPECT_EQ(batch.origins[1].corpus, 1);
}

TEST(Batch, OfEmptySentencesIsTheFrameAlone) {
  const Example nothing;
  const Batch batch = make_batch({&nothing});
  EXPECT_THAT(batch.source, ElementsAre(3));
  EXPECT_THAT(batch.target_input, ElementsAre(2));
  EXPECT_THAT(batch.target_output, ElementsAre(3));
}

TEST(Batch, OfNothingIsEmpty) {
  const Batch batch = make_batch({});
  EXPECT_EQ(batch.size, 0);
  EXPECT_THAT(batch.source, IsEmpty());
}

TEST(Padding, CountsBothSides) {
  const Example a{{5, 6, 7}, {8}, {}}, b{{9}, {10, 11}, {}};
  Padding padding;
  EXPECT_EQ(padding.total(), 0);
  padding.add(make_batch({&a, &b}));
  EXPECT_DOUBLE_EQ(padding.source(), 2.0 / 8);
  EXPECT_DOUBLE_EQ(padding.target(), 1.0 / 6);
  EXPECT_DOUBLE_EQ(padding.total(), 3.0 / 14);
}

}  // namespace
}  // namespace heed::data
