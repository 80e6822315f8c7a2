#include "data/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/example.h"

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

TEST(Batch, HasNoEndOfSourcesWhereModelsReadNone) {
  const Example a{{5, 6, 7}, {8}, {}, {}, false}, b{{9}, {10}, {}, {}, false},
      nothing{{}, {}, {}, {}, false};
  const Batch batch = make_batch({&a, &b, &nothing});
  EXPECT_EQ(batch.source_length, 4);
  EXPECT_THAT(batch.source, ElementsAre(5, 6, 7, 0, /**/ 9, 0, 0, 0, /**/ 3, 0, 0, 0));
  EXPECT_THAT(batch.source_lengths, ElementsAre(3, 1, 1));
  EXPECT_THAT(batch.target_output, ElementsAre(8, 3, /**/ 10, 3, /**/ 3, 0));
}

TEST(Batch, OfNothingIsEmpty) {
  const Batch batch = make_batch({});
  EXPECT_EQ(batch.size, 0);
  EXPECT_THAT(batch.source, IsEmpty());
}

// Rows of 2 + 2, 3 + 2, 3 + 4, 5 + 4, 6 + 6 tokens, the ends included: 37 in all.
TEST(Parts, AreRowsInTheirOrderWithAboutAsManyTokensEach) {
  const std::vector<Example> examples = {{{4}, {5}, {0, 1, 0}},
                                         {{4, 5}, {5}, {0, 2, 1}},
                                         {{4, 5}, {5, 6, 7}, {0, 3, 2}},
                                         {{4, 5, 6, 7}, {5, 6, 7}, {0, 4, 3}},
                                         {{4, 5, 6, 7, 8}, {5, 6, 7, 8, 9}, {0, 5, 4}}};
  std::vector<const Example*> pointers;
  for (const Example& example : examples) pointers.push_back(&example);
  const Batch batch = make_batch(pointers);
  const auto sizes = [&](int64_t count) {
    std::vector<int64_t> out;
    int64_t line = 1;
    for (const Batch& part : parts_of(batch, count)) {
      out.push_back(part.size);
      for (const Origin& origin : part.origins) EXPECT_EQ(origin.line, line++);
    }
    EXPECT_EQ(line, 6);
    return out;
  };
  EXPECT_EQ(sizes(1), std::vector<int64_t>{5});
  EXPECT_EQ(sizes(2), (std::vector<int64_t>{4, 1}));     // 25 of at least 18.5
  EXPECT_EQ(sizes(3), (std::vector<int64_t>{3, 1, 1}));  // 16 of 12.3, 25 of 24.7
  EXPECT_EQ(sizes(99), (std::vector<int64_t>{1, 1, 1, 1, 1}));
  const Batch first = parts_of(batch, 3)[0];
  EXPECT_EQ(first.source_length, 3);
  EXPECT_EQ(first.target_length, 4);
  EXPECT_EQ(first.source, (std::vector<int64_t>{4, 3, 0, 4, 5, 3, 4, 5, 3}));
  EXPECT_TRUE(parts_of(make_batch({}), 3).empty());
}

}  // namespace
}  // namespace heed::data
