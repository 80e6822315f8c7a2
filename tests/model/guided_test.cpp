// The log weights that guided alignment teaches: of every kind of model that attends everywhere
// those of its weights, with the gradient of differences, and without a change to the features.
#include <gtest/gtest.h>

#include <cmath>

#include "model/gradient.h"
#include "model/kinds.h"
#include "model/model.h"

namespace heed::model {
namespace {

using namespace testing;

std::vector<NamedConfig> guided_kinds() {
  std::vector<NamedConfig> kinds = every_kind();
  std::erase_if(kinds, [](const NamedConfig& kind) { return !can_be_guided(kind.config); });
  return kinds;
}

std::vector<std::vector<int64_t>> uneven_targets() {
  return {{kBos, 3}, {kBos, 10, 9, 8, 7}, {kBos, 3, 3}};
}

Trace trace_of(int64_t layer, int64_t head) {
  return {.kinds = {}, .guided = Guided{.layer = layer, .head = head}};
}

int64_t heads_of(const ModelConfig& config) {
  return config.type == ModelType::rnn ? 1 : config.heads;
}

TEST(GuidedLogs, AreThoseOfTheWeights) {
  const Source source = source_of(three_sources());
  const auto rows = uneven_targets();
  const Tensor target = padded(rows);
  for (const auto& [name, config] : guided_kinds()) {
    SCOPED_TRACE(name);
    const ModelPtr model = model_of(config, kSourceVocabulary);
    Trace shown;
    {
      const at::NoGradGuard no_grad;
      model->features(source, target, &shown);
    }
    for (std::size_t layer = 0; layer < shown.maps.size(); ++layer)
      for (int64_t head = 0; head < heads_of(config); ++head) {
        Trace trace = trace_of(static_cast<int64_t>(layer), head);
        const Tensor features = model->features(source, target, &trace);
        EXPECT_TRUE(at::equal(features, model->features(source, target)));
        const Tensor logs = trace.guided->logs;
        ASSERT_EQ(logs.sizes().vec(), (std::vector<int64_t>{3, 5, 7}));
        ASSERT_TRUE(logs.requires_grad());
        for (int64_t row = 0; row < 3; ++row) {
          const int64_t targets = std::ssize(rows[row]);
          const auto sources = source.lengths[row].item<int64_t>();
          const auto real = [&](const Tensor& all) {
            return all[row].narrow(0, 0, targets).narrow(1, 0, sources);
          };
          const Tensor weights = shown.maps[layer].weights;
          // Heads of a recurrent model are taught together.
          const Tensor taught =
              config.type == ModelType::rnn ? weights.mean(1) : weights.select(1, head);
          EXPECT_LT(distance(real(logs).exp(), real(taught)), 2e-6);
        }
      }
  }
}

TEST(GuidedLogs, NegativeLayersCountFromTheEnd) {
  ModelConfig config;
  config.decoder_layers = 3;
  EXPECT_EQ(decoder_layer(config, 0), 0);
  EXPECT_EQ(decoder_layer(config, -1), 2);
  EXPECT_EQ(decoder_layer(config, -2), 1);
  config.decoder_layers = 1;
  EXPECT_EQ(decoder_layer(config, -2), 0);
}

/// A pattern times the logs of real positions.
struct PatternLoss {
  Source source = source_of(three_sources());
  Tensor target = padded(uneven_targets());
  Tensor indices, pattern;

  PatternLoss() {
    std::vector<int64_t> real;
    for (int64_t row = 0; row < 3; ++row)
      for (int64_t t = 0; t < std::ssize(uneven_targets()[row]); ++t)
        for (int64_t s = 0; s < std::ssize(three_sources()[row]); ++s)
          if ((row + t + s) % 3 != 0) real.push_back((row * 5 + t) * 7 + s);
    indices = at::tensor(real, at::kLong);
    pattern = at::randn({std::ssize(real)}, at::kDouble);
  }

  Tensor of(Model& model, int64_t layer, int64_t head) const {
    Trace trace = trace_of(layer, head);
    model.features(source, target, &trace);
    return (trace.guided->logs.flatten().index_select(0, indices) * pattern).sum();
  }
};

TEST(GuidedLogs, HaveTheGradientsOfDifferences) {
  const PatternLoss loss;
  for (const auto& [name, config] : guided_kinds()) {
    SCOPED_TRACE(name);
    const ModelPtr model = model_of(config, kSourceVocabulary);
    model->to(at::kDouble);
    const auto parameters = model->named_parameters();
    double largest = 0;
    const auto checks = check_directions(model->parameters(),
                                         [&] { return loss.of(*model, -1, heads_of(config) - 1); });
    for (std::size_t i = 0; i < checks.size(); ++i) {
      EXPECT_LT(checks[i].error, 1e-6) << parameters[i].key();
      largest = std::max(largest, checks[i].largest);
    }
    EXPECT_GT(largest, 1e-3);
  }
}

// Together with the loss of the features: the kernels add both gradients up in one place.
TEST(GuidedLogs, HaveTheirReadableTwinsGradientsOnTheKernels) {
  const PatternLoss loss;
  const Tensor pattern = at::randn({3, 5, 1}, at::kDouble);
  for (const auto& [name, config] : guided_kinds()) {
    SCOPED_TRACE(name);
    const ModelPtr model = model_of(config, kSourceVocabulary);
    const auto gradients = [&] {
      Trace trace = trace_of(0, 0);
      const Tensor features = model->features(loss.source, loss.target, &trace);
      const Tensor guided =
          (trace.guided->logs.flatten().index_select(0, loss.indices) * loss.pattern).sum();
      // Padded rows are undefined.
      const Tensor real = features.narrow(1, 0, 2) * pattern.narrow(1, 0, 2);
      return torch::autograd::grad({guided + real.sum()}, model->parameters(), {}, std::nullopt,
                                   false, /*allow_unused=*/true);
    };
    const auto fused = gradients();
    model->to(at::kDouble);
    const auto exact = gradients();
    for (std::size_t i = 0; i < fused.size(); ++i) {
      ASSERT_EQ(fused[i].defined(), exact[i].defined());
      if (!fused[i].defined()) continue;
      EXPECT_LT((fused[i] - exact[i]).norm().item<double>(),
                2e-5 * (1 + exact[i].norm().item<double>()))
          << model->named_parameters()[i].key();
    }
  }
}

TEST(GuidedLogs, AWeightOfNothingStillHasAGradient) {
  Kind kind{"luong_dot"};
  for (const std::string attention : {"luong_dot", "bahdanau"}) {
    SCOPED_TRACE(attention);
    kind.attention = attention;
    const ModelPtr sharp = small_model(kind);
    const at::AutoGradMode with_gradients(true);
    for (auto& item : sharp->named_parameters())
      if (item.key().find("attention.score") != std::string::npos ||
          item.key().find("encoder") != std::string::npos)
        item.value().set_data(item.value().detach() * 3000);
    const Source source = source_of(three_sources());
    Trace trace = trace_of(0, 0);
    sharp->features(source, padded(three_targets()), &trace);
    const Tensor logs = trace.guided->logs[1];  // the longest: no padding
    EXPECT_TRUE(logs.isfinite().all().item<bool>());
    const auto gradients =
        torch::autograd::grad({logs.sum()}, sharp->parameters(), {}, std::nullopt, false, true);
    for (const Tensor& gradient : gradients)
      EXPECT_TRUE(!gradient.defined() || gradient.isfinite().all().item<bool>());
  }
}

}  // namespace
}  // namespace heed::model
