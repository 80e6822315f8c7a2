// How another program's numbering becomes heed's. That whole models compute the same is tested in
// tests/twins/.
#include "exchange/transformer_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "exchange/arrays.h"
#include "kernels/rows/positions.h"
#include "text/vocabulary.h"

namespace heed::exchange {
namespace {

using engine::Array, engine::Floats;
using ::testing::ElementsAre, ::testing::FloatEq, ::testing::HasSubstr;

constexpr int64_t kWidth = 2;

/// No layers, and vectors and biases that say of which piece they are.
class TwoNumbers : public ForeignTransformer {
 public:
  explicit TwoNumbers(int64_t pieces) : pieces_(pieces) {}

  Affine module(const PeerModule&) const override { return {}; }
  Array positions(bool) const override { return {}; }
  Array embedding(bool) const override {
    Floats numbers;
    for (int64_t piece = 0; piece < pieces_; ++piece)
      numbers.insert(numbers.end(),
                     {static_cast<float>(10 + piece), static_cast<float>(20 + piece)});
    return array_from(std::move(numbers), {pieces_, kWidth});
  }
  Affine output() const override {
    Floats bias;
    for (int64_t piece = 0; piece < pieces_; ++piece) bias.push_back(static_cast<float>(piece) / 8);
    return {.weight = {}, .bias = array_from(std::move(bias), {pieces_})};
  }

 private:
  int64_t pieces_;
};

model::ModelConfig no_layers() {
  model::ModelConfig config;
  config.width = kWidth;
  config.encoder_layers = config.decoder_layers = 0;
  config.norm = model::Norm::post;
  config.tie = model::Tie::all;
  return config;
}

// MarianMT's order: </s> 0, <unk> 1, a 2, b 3, <pad> 4. heed's: pad, unk, bos, eos, a, b, and c,
// which the program does not know.
const std::vector<int64_t> kIds = {4, 1, -1, 0, 2, 3, 1};

TEST(TransformerParts, PiecesMoveToHeedsIds) {
  model::ModelConfig config = no_layers();
  const auto weights = weights_from(
      TwoNumbers(5), {.source = kIds, .target = kIds, .start = 4, .writes_start = true}, config,
      "there");
  EXPECT_THAT(weights.at("embedding.weight").copy(),
              ElementsAre(14, 24, 11, 21, 14, 24, 10, 20, 12, 22, 13, 23, 11, 21));
  // Each of the program's pieces is written once: <pad> as bos, c never.
  EXPECT_THAT(weights.at("output.bias").copy(),
              ElementsAre(kNeverWritten, 1. / 8, 4. / 8, 0, 2. / 8, 3. / 8, kNeverWritten));
}

TEST(TransformerParts, ADecoderMayBeginWithZerosOrWithAPieceOfTheText) {
  model::ModelConfig config = no_layers();
  const auto zeros = weights_from(TwoNumbers(5), {.source = kIds, .target = kIds}, config, "there");
  EXPECT_EQ(zeros.at("embedding.weight").data[kWidth * text::kBegin], 0);
  EXPECT_EQ(zeros.at("output.bias").data[text::kBegin], kNeverWritten);
  const auto end =
      weights_from(TwoNumbers(5), {.source = kIds, .target = kIds, .start = 0}, config, "there");
  EXPECT_EQ(end.at("embedding.weight").data[kWidth * text::kBegin], 10);
  EXPECT_EQ(end.at("output.bias").data[text::kBegin], kNeverWritten);
  EXPECT_EQ(end.at("output.bias").data[text::kEnd], 0);
}

TEST(TransformerParts, VectorsThatAreNotScaledAreNoLongerTied) {
  model::ModelConfig config = no_layers();
  const auto weights =
      weights_from(TwoNumbers(5), {.source = kIds, .target = kIds, .start = 4, .scaled = false},
                   config, "there");
  EXPECT_EQ(config.tie, model::Tie::none);
  const float root = std::sqrt(2.F);
  EXPECT_THAT(weights.at("source_embedding.weight").data[0], FloatEq(14 / root));
  EXPECT_THAT(weights.at("target_embedding.weight").data[2], FloatEq(11 / root));
  EXPECT_EQ(weights.at("output.weight").data[2], 11);
}

TEST(TransformerParts, TheWidthIsReordered) {
  model::ModelConfig config = no_layers();
  const auto weights = weights_from(
      TwoNumbers(5), {.source = kIds, .target = kIds, .width = std::vector<int64_t>{1, 0}}, config,
      "there");
  EXPECT_EQ(weights.at("embedding.weight").data[2], 21);
}

TEST(TransformerParts, MorePiecesThanVectorsAreRefused) {
  model::ModelConfig config = no_layers();
  EXPECT_THROW(
      weights_from(TwoNumbers(4), {.source = kIds, .target = kIds, .start = 4}, config, "there"),
      UserError);
}

TEST(TransformerParts, PartsOfDifferentShapesAreNotJoined) {
  const auto matrix = [](std::vector<int64_t> shape) {
    return Affine{array_from(Floats(6), std::move(shape))};
  };
  EXPECT_THAT(joined({matrix({2, 3}), matrix({2, 3})}).weight.shape, ElementsAre(4, 3));
  for (const std::vector<int64_t>& other : {std::vector<int64_t>{3, 2}, {6}, {1, 2, 3}})
    EXPECT_THROW(joined({matrix({2, 3}), matrix(other)}), UserError);
}

TEST(TransformerParts, PositionsOfTensor2TensorBeginAnywhere) {
  // Width 4: frequencies 1 and 10000^-1.
  const Array table = tensor2tensor_positions(2, 3, 4);
  EXPECT_THAT(table.shape, ElementsAre(3, 4));
  EXPECT_THAT(rows_of(table, 1, 1).copy(), ElementsAre(FloatEq(0.14112F), FloatEq(0.0003F),
                                                       FloatEq(-0.9899925F), FloatEq(0.99999996F)));
}

TEST(TransformerParts, SinusoidsAreKnownByTheirTable) {
  Floats pairs(5 * 6);
  kernels::sinusoids(0, 5, 6, pairs.data());
  const Array table = array_from(pairs, {5, 6});
  EXPECT_EQ(sinusoids_in(table), Sinusoids::pairs);
  EXPECT_EQ(sinusoids_in(with_columns(table, pairs_from_halves(6))), Sinusoids::none);
  EXPECT_EQ(sinusoids_in(with_columns(table, halves_from_pairs(6))), Sinusoids::halves);
  EXPECT_EQ(sinusoids_in(tensor2tensor_positions(0, 5, 6)), Sinusoids::none);
}

TEST(TransformerParts, SinusoidsOfRoundedAnglesAreKnownAndRoundedOnesAreStoredNumbers) {
  // An angle near 900 is off by up to 6e-5 in fp32. The sine of 1 is 0.8413086 in half precision,
  // and not 0.84147096.
  Floats table(1000 * 2);
  kernels::sinusoids(0, 1000, 2, table.data());
  Floats angles = table;
  angles[900 * 2 + 1] = std::cos(900.00006F);
  EXPECT_EQ(sinusoids_in(array_from(angles, {1000, 2})), Sinusoids::pairs);
  Floats halves = table;
  halves[2] = 0.8413086F;
  EXPECT_EQ(sinusoids_in(array_from(halves, {1000, 2})), Sinusoids::none);
}

}  // namespace
}  // namespace heed::exchange
