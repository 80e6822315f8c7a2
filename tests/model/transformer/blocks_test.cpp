#include "model/transformer/blocks.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <string>

#include "model/gradient.h"

namespace heed::model {
namespace {

TEST(DecoderBlock, GradientsByWhatItReadsAreThoseOfDifferences) {
  for (const std::string& name : position_names()) {
    SCOPED_TRACE(name);
    at::manual_seed(5);
    const PositionsPtr positions =
        make_positions(name, {.width = 8, .heads = 2, .longest = 9, .causal = true});
    positions->to(at::kDouble);
    MultiHeadOptions attention{.width = 8, .heads = 2, .kv_heads = 1};
    BlockOptions options{
        .feed_forward = 5, .activation = Activation::gelu, .self = attention, .cross = attention};
    options.self.pattern.causal = true;
    DecoderBlock block(options, {.positions = positions, .layer = 0});
    block.to(at::kDouble);
    const Tensor valid = at::tensor({1, 1, 1, 1, 1, 0}).to(at::kBool).view({2, 1, 1, 3});
    const SentenceLayout queries, keys{.valid = valid};
    const Tensor memory = at::randn({2, 3, 8}, at::kDouble).requires_grad_();
    const Tensor x = at::randn({2, 4, 8}, at::kDouble).requires_grad_();
    const Tensor pattern = at::randn({2, 4, 8}, at::kDouble);
    const auto loss = [&] {
      const DecoderBlock::View view{.memory = block.project(memory), .sentences = {queries, keys}};
      return (block.forward(x, view) * pattern).sum();
    };
    EXPECT_LT(testing::check_entries(x, loss).error, 1e-6);
    EXPECT_LT(testing::check_entries(memory, loss).error, 1e-6);
  }
}

}  // namespace
}  // namespace heed::model
