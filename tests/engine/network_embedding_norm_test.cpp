// The layer norm of embeddings in numbers that can be followed with a pencil: blocks add nothing,
// so that features are the norm of the stack's end. (The same in LibTorch: transformer_test.)
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "engine/network.h"
#include "engine/random_weights.h"

namespace heed::engine {
namespace {

namespace names = model::names;
using ::testing::ElementsAre, ::testing::FloatNear;
using testing::kOneThread;

constexpr int64_t kWidth = 4, kPieces = 5;

/// Pre-norm, one head, no positions; 0.001 is added to variances.
model::ModelConfig worked_config() {
  model::ModelConfig config = testing::small_transformer();
  config.width = kWidth;
  config.heads = 1;
  config.positions = "none";
  config.tie = model::Tie::decoder;
  config.norm_epsilon = 1e-3;
  config.embedding_norm = true;
  return config;
}

/// The numbers of a network of worked_config(): weights are zeros and norms do nothing, except that
/// piece 4 has the vector (2, 0, 0, 0) on both sides, and output weights are a tied embedding.
class WorkedWeights {
 public:
  WorkedWeights() {
    const Weights shapes = testing::random_transformer(worked_config(), kPieces);
    for (const auto& [name, array] : shapes.all()) {
      shapes_[name] = array.shape;
      const bool scale = name.find("norm.weight") != std::string::npos;
      numbers_[name] = Floats(array.count(), scale ? 1.F : 0.F);
    }
    for (const char* side : {"source_embedding.weight", "target_embedding.weight"})
      numbers_.at(side)[4 * kWidth] = 2;
    // Pieces 0 to 3 have a logit each, which says one number of the features.
    for (int64_t i = 0; i < kWidth; ++i) numbers_.at("target_embedding.weight")[i * kWidth + i] = 1;
  }
  Floats& operator[](const std::string& name) { return numbers_.at(name); }

  Weights weights() const {
    std::map<std::string, Array> arrays;
    for (const auto& [name, numbers] : numbers_) {
      const auto owner = std::make_shared<Floats>(numbers);
      arrays[name] = {.data = owner->data(), .shape = shapes_.at(name), .owner = owner};
    }
    return Weights(std::move(arrays));
  }

 private:
  std::map<std::string, std::vector<int64_t>> shapes_;
  std::map<std::string, Floats> numbers_;
};

/// The first four logits after piece 4, with piece 4 as the source.
Floats features_of(const model::ModelConfig& config, const WorkedWeights& weights) {
  const auto network = make_network(config, weights.weights(), WeightFormat::fp32);
  const int64_t piece = 4, length = 1;
  const auto decoder = network->start(
      {.tokens = &piece, .lengths = &length, .sentences = 1, .length = 1}, kOneThread);
  const float* logits = decoder->step(&piece, 1, nullptr).logits();
  return {logits, logits + kWidth};
}

auto over_root(const Floats& numbers, double square) {
  const auto near = [&](int i) {
    return FloatNear(numbers[i] / static_cast<float>(std::sqrt(square)), 1e-6F);
  };
  return ElementsAre(near(0), near(1), near(2), near(3));
}

// The root of the width makes (4, 0, 0, 0) of the vector: mean 1, variance 3. The norm of
// embeddings gives (3, -1, -1, -1) / sqrt(3.001), its weights (3, -2, -3, -4) / sqrt(3.001), of
// which the mean is -1.5 and the variance 7.25 / 3.001. The last norm: (4.5, -0.5, -1.5, -2.5) /
// sqrt(3.001), divided by sqrt(7.25 / 3.001 + 0.001).
TEST(EmbeddingNorm, OfADecoderByHand) {
  WorkedWeights weights;
  weights[names::embedding_norm(true) + ".weight"] = {1, 2, 3, 4};
  EXPECT_THAT(features_of(worked_config(), weights),
              over_root({4.5F, -0.5F, -1.5F, -2.5F}, 7.25 + 0.001 * 3.001));
  // Without it the last norm alone: (3, -1, -1, -1) / sqrt(3.001).
  model::ModelConfig config = worked_config();
  config.embedding_norm = false;
  EXPECT_THAT(features_of(config, weights), over_root({3, -1, -1, -1}, 3.001));
}

// The bias alone is left where weights are zeros: (5, 1, 1, 1), mean 2, variance 3.
TEST(EmbeddingNorm, AddsItsBias) {
  WorkedWeights weights;
  weights[names::embedding_norm(true) + ".weight"] = {0, 0, 0, 0};
  weights[names::embedding_norm(true) + ".bias"] = {5, 1, 1, 1};
  EXPECT_THAT(features_of(worked_config(), weights), over_root({3, -1, -1, -1}, 3.001));
}

// The decoder's own vectors become zeros. Cross-attention copies the encoder's output, which is the
// (4.5, -0.5, -1.5, -2.5) / sqrt(7.253001) of the first test, with a variance of 7.25 / 7.253001.
TEST(EmbeddingNorm, OfAnEncoderByHand) {
  WorkedWeights weights;
  weights[names::embedding_norm(false) + ".weight"] = {1, 2, 3, 4};
  weights[names::embedding_norm(true) + ".weight"] = {0, 0, 0, 0};
  const std::string cross = names::attention(model::AttentionKind::cross, 0);
  for (int64_t i = 0; i < kWidth; ++i) {
    weights[cross + ".projection.weight"][(kWidth + i) * kWidth + i] = 1;  // values, after keys
    weights[cross + ".output.weight"][i * kWidth + i] = 1;
  }
  EXPECT_THAT(features_of(worked_config(), weights),
              over_root({4.5F, -0.5F, -1.5F, -2.5F}, 7.25 + 0.001 * 7.253001));
}

}  // namespace
}  // namespace heed::engine
