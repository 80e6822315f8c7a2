// The decoder's state, make_source, make_model and the layers between tokens and vectors.
#include <gtest/gtest.h>

#include "base/error.h"
#include "data/batch.h"
#include "model/embedding.h"
#include "model/model.h"
#include "model/recurrent/support.h"
#include "model/reorder_beams.h"

namespace heed::model {
namespace {

using namespace testing;

State numbered_state() {
  State state;
  state.memory = {at::arange(3 * 7).view({3, 7}), Tensor()};
  state.carried = {at::arange(3 * 2 * 5).view({3, 2, 5}), Tensor(), at::arange(6).view({3, 2})};
  state.position = 4;
  return state;
}

TEST(State, KeepingSentencesMovesMemoryAndHypotheses) {
  State state = numbered_state();
  reorder(state, at::tensor({2, 0}, at::kLong), {});
  EXPECT_TRUE(state.memory[0].equal(at::stack({at::arange(14, 21), at::arange(0, 7)})));
  EXPECT_FALSE(state.memory[1].defined());
  EXPECT_TRUE(state.carried[2].equal(at::tensor({4, 5, 0, 1}, at::kLong).view({2, 2})));
  EXPECT_EQ(state.carried[0][0][1][0].item<int64_t>(), 25);
  EXPECT_EQ(state.position, 4);
}

TEST(State, ReorderingBeamsMovesHypothesesWithinTheirSentenceOnly) {
  State state = numbered_state();
  reorder_beams(state, at::tensor({1, 1, 0, 0, 0, 1, 1, 0, 1}, at::kLong).view({3, 3}));
  EXPECT_TRUE(
      state.carried[2].equal(at::tensor({1, 1, 0, 2, 2, 3, 5, 4, 5}, at::kLong).view({3, 3})));
  EXPECT_EQ(state.carried[0].sizes(), at::IntArrayRef({3, 3, 5}));
  EXPECT_TRUE(state.carried[0][2][1].equal(at::arange(20, 25)));
  EXPECT_TRUE(state.memory[0].equal(at::arange(21).view({3, 7})));
}

TEST(MakeSource, MarksWhatIsValidByLength) {
  data::Batch batch;
  batch.size = 2;
  batch.source_length = 3;
  batch.source = {5, 7, 2, 6, 2, 0};
  batch.source_lengths = {3, 2};
  const Source source = make_source(batch, at::kCPU);
  EXPECT_TRUE(source.tokens.equal(at::tensor(batch.source, at::kLong).view({2, 3})));
  EXPECT_TRUE(source.lengths.equal(at::tensor({3, 2}, at::kLong)));
  EXPECT_TRUE(source.valid.equal(at::tensor({1, 1, 1, 1, 1, 0}, at::kLong).view({2, 3}).ne(0)));
}

TEST(MakeModel, BuildsWhatTheTypeSays) {
  ModelConfig config = small_config({"luong_general"});
  EXPECT_TRUE(make_model(config, {5, 7})->attends());
  config.attention = "none";
  EXPECT_FALSE(make_model(config, {5, 7})->attends());
}

TEST(TokenLayers, TiedOutputUsesTheEmbeddingAndBothLearnIt) {
  ModelConfig config = small_config({"none"});
  config.tie = Tie::decoder;
  torch::nn::Module owner;
  const TokenLayers layers = add_token_layers(owner, config, {13, 11}, 7);
  EXPECT_TRUE(layers.output->weight().is_same(layers.target->weight()));
  owner.to(at::kDouble);
  EXPECT_EQ(layers.output->weight().scalar_type(), at::kDouble);
  EXPECT_TRUE(layers.output->weight().is_same(layers.target->weight()));
  const Tensor x = layers.target->forward(at::tensor({3}, at::kLong)).detach();
  layers.output->forward(x).sum().backward();
  EXPECT_LT(distance(layers.target->weight().grad(), x.expand({11, 7})), 1e-12);
}

TEST(TokenLayers, TieAllNeedsOneVocabulary) {
  ModelConfig config = small_config({"none"});
  config.tie = Tie::all;
  torch::nn::Module owner;
  EXPECT_THROW(add_token_layers(owner, config, {13, 11}, 7), UserError);
}

TEST(Embedding, ScalesItsVectors) {
  Embedding embedding(5, 3, 4, 0);
  const Tensor tokens = at::tensor({1, 4}, at::kLong);
  EXPECT_LT(distance(embedding.forward(tokens), embedding.weight().index_select(0, tokens) * 4),
            1e-6);
}

TEST(Embedding, WordDropoutTakesWholeVectorsAndKeepsTheMean) {
  at::manual_seed(1);
  Embedding embedding(3, 5, 2, 0.25);
  const Tensor tokens = at::ones({4000}, at::kLong);
  const Tensor whole = embedding.weight()[1] * 2 / 0.75;
  const Tensor vectors = embedding.forward(tokens);
  const Tensor gone = vectors.eq(0).all(1);
  EXPECT_NEAR(gone.to(at::kFloat).mean().item<double>(), 0.25, 0.03);
  const Tensor kept = vectors.index({gone.logical_not()});
  EXPECT_LT(distance(kept, whole.expand_as(kept)), 1e-6);
  embedding.eval();
  EXPECT_LT(distance(embedding.forward(tokens)[7], embedding.weight()[1] * 2), 1e-7);
}

TEST(State, SentencesLeaveAndBeamsMoveAtOnce) {
  State state = numbered_state(), stepwise = numbered_state();
  // The sentences 2 and 0 go on, with hypotheses 4, 5 and 0, 1 of all.
  reorder(state, at::tensor({2, 0}, at::kLong),
          at::tensor({5, 4, 5, 1, 1, 0}, at::kLong).view({2, 3}));
  reorder(stepwise, at::tensor({2, 0}, at::kLong), {});
  reorder_beams(stepwise, at::tensor({1, 0, 1, 1, 1, 0}, at::kLong).view({2, 3}));
  EXPECT_TRUE(state.memory[0].equal(stepwise.memory[0]));
  for (const std::size_t i : {0, 2}) EXPECT_TRUE(state.carried[i].equal(stepwise.carried[i]));
  EXPECT_TRUE(state.carried[2].equal(at::tensor({5, 4, 5, 1, 1, 0}, at::kLong).view({2, 3})));
  EXPECT_FALSE(state.carried[1].defined());
}

}  // namespace
}  // namespace heed::model
