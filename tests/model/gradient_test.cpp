// The gradient of every tensor of every kind of model is that of central differences in double:
// embeddings, cells, encoders, attentions with their windows, feeding, read-outs, norms, heads.
#include "model/gradient.h"

#include <gtest/gtest.h>

#include "model/kinds.h"
#include "model/model.h"

namespace heed::model {
namespace {

using namespace testing;

void expect_right_gradients(const std::vector<NamedConfig>& kinds) {
  const Source source = source_of(three_sources());
  const Tensor target = padded(three_targets());
  for (const auto& [name, config] : kinds) {
    SCOPED_TRACE(name);
    const ModelPtr model = model_of(config, kSourceVocabulary);
    model->to(at::kDouble);
    const Tensor pattern = at::randn({3, 5, kSourceVocabulary}, at::kDouble);
    const auto loss = [&] {
      return (at::log_softmax(model->logits(model->features(source, target)), -1) * pattern).sum();
    };
    std::vector<Tensor> leaves;
    std::vector<std::string> names;
    for (const auto& parameter : model->named_parameters()) {
      names.push_back(parameter.key());
      leaves.push_back(parameter.value());
    }
    const std::vector<GradientCheck> checks = check_directions(leaves, loss);
    for (std::size_t i = 0; i < checks.size(); ++i) {
      EXPECT_GT(checks[i].largest, 1e-6) << names[i] << " learns nothing";
      EXPECT_LT(checks[i].error, 1e-6) << names[i];
    }
  }
}

TEST(Gradients, OfEveryTensorOfEveryRecurrentModelAreThoseOfDifferences) {
  expect_right_gradients(recurrent_kinds());
}

TEST(Gradients, OfEveryTensorOfEveryTransformerAreThoseOfDifferences) {
  expect_right_gradients(transformer_kinds());
}

// fp32 on the CPU runs on the fused kernels, double on what they are made from.
TEST(Gradients, OfTheKernelsAreThoseOfTheReadableTwins) {
  const Source source = source_of(three_sources());
  const Tensor target = padded(three_targets());
  for (const auto& [name, config] : every_kind()) {
    SCOPED_TRACE(name);
    const ModelPtr model = model_of(config, kSourceVocabulary);
    const Tensor pattern = at::randn({3, 5, kSourceVocabulary}, at::kDouble);
    const auto gradients = [&] {
      const Tensor logits = model->logits(model->features(source, target));
      return torch::autograd::grad({(logits * pattern).sum()}, model->parameters());
    };
    const auto fused = gradients();
    model->to(at::kDouble);
    const auto exact = gradients();
    for (std::size_t i = 0; i < fused.size(); ++i)
      EXPECT_LT((fused[i] - exact[i]).norm().item<double>(),
                1e-5 * (1 + exact[i].norm().item<double>()))
          << model->named_parameters()[i].key();
  }
}

// The checks find a function whose backward pass is wrong in one entry.
TEST(Gradients, AWrongOneIsFound) {
  const Tensor leaf = (at::arange(1, 16, at::kDouble).reshape({3, 5}) / 7).requires_grad_();
  const auto right = [&] { return leaf.sin().sum(); };
  const auto wrong = [&] { return leaf.sin().sum() + 0.01 * leaf[1][2].detach().square(); };
  EXPECT_LT(check_entries(leaf, right).error, 1e-8);
  EXPECT_LT(check_directions({leaf}, right)[0].error, 1e-8);
  EXPECT_GT(check_entries(leaf, wrong).error, 1e-4);
  EXPECT_GT(check_directions({leaf}, wrong)[0].error, 1e-4);
}

}  // namespace
}  // namespace heed::model
