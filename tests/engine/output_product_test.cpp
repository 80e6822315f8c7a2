// The output layer over the pieces of shortlists.
#include "engine/output_product.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/network.h"
#include "engine/random_weights.h"

namespace heed::engine {
namespace {

using testing::kOneThread;

const std::vector<PieceList> kLists = {{1, 3, 32, 33, 69}, {3}, {0, 3, 40}};

TEST(OutputProduct, OfListsHasTheBitsOfTheWholeOne) {
  const Array weight = testing::random_array({70, 7}, 1), bias = testing::random_array({70}, 2);
  const Floats x = testing::random_array({2 * 3, 7}, 3).copy();  // two hypotheses of each sentence
  for (const WeightFormat numbers : {WeightFormat::fp32, WeightFormat::bf16, WeightFormat::int8}) {
    const Linear linear = make_linear(weight, &bias, numbers);
    Products products(kOneThread);
    OutputProduct whole(linear, {}, products), listed(linear, kLists, products);
    EXPECT_EQ(whole.columns(), 70);
    ASSERT_EQ(listed.columns(), 5);
    whole.take(x.data(), 6);
    const float* all = whole.logits();
    listed.take(x.data(), 6);
    const float* some = listed.logits();
    for (int64_t row = 0; row < 6; ++row)
      for (int64_t i = 0; i < 5; ++i) {
        const PieceList& list = kLists[row / 2];
        EXPECT_EQ(some[row * 5 + i], i < std::ssize(list) ? all[row * 70 + list[i]] : -INFINITY);
      }
    listed.reorder(std::vector<int64_t>{2, 0});
    listed.take(x.data(), 4);
    some = listed.logits();
    EXPECT_EQ(some[2], all[40]);
    EXPECT_EQ(some[3], -INFINITY);
    EXPECT_EQ(some[3 * 5 + 4], all[3 * 70 + 69]);
  }
}

// 1,030 columns are two blocks and six columns.
TEST(OutputProduct, ABlockHasTheBitsOfTheWholeOne) {
  const Array weight = testing::random_array({1030, 7}, 1), bias = testing::random_array({1030}, 2);
  const Floats x = testing::random_array({3, 7}, 3).copy();
  for (const WeightFormat numbers : {WeightFormat::fp32, WeightFormat::bf16, WeightFormat::int8}) {
    const Linear linear = make_linear(weight, &bias, numbers);
    Products products(kOneThread);
    OutputProduct output(linear, {}, products);
    ASSERT_EQ(output.blocks(), 3);
    output.take(x.data(), 3);
    const float* all = output.logits();
    Floats block;
    for (int64_t column = 0; column < 1030; ++column) {
      output.block(column / 512, block);
      for (int64_t row = 0; row < 3; ++row)
        ASSERT_EQ(block[row * 512 + column % 512], all[row * 1030 + column]) << column;
    }
  }
}

TEST(OutputProduct, IsThatOfEveryNetwork) {
  const std::vector<int64_t> tokens = {4, 7, 9, 3, 5, 3, 0, 0, 6, 3, 0, 0}, lengths = {4, 2, 2};
  const SourceBatch source{tokens.data(), lengths.data(), 3, 4};
  SourceBatch with_lists = source;
  with_lists.lists = kLists;
  const std::vector<int64_t> last = {2, 5, 8}, left = {5, 8}, kept = {1, 2};
  const auto compare = [&](const Network& network) {
    const auto all = network.start(source, kOneThread),
               some = network.start(with_lists, kOneThread);
    all->step(last.data(), 1, nullptr);
    some->step(last.data(), 1, nullptr);
    all->reorder(kept, kept);
    some->reorder(kept, kept);
    const float *whole = all->step(left.data(), 1, nullptr).logits(),
                *listed = some->step(left.data(), 1, nullptr).logits();
    EXPECT_EQ(listed[0], whole[3]);
    EXPECT_EQ(listed[5 + 2], whole[70 + 40]);
  };
  const model::ModelConfig transformer = testing::small_transformer(),
                           recurrent = testing::small_recurrent();
  compare(
      *make_network(transformer, testing::random_transformer(transformer, 70), WeightFormat::fp32));
  compare(*make_network(recurrent, testing::random_recurrent(recurrent, 70), WeightFormat::fp32));
}

}  // namespace
}  // namespace heed::engine
