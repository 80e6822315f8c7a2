// The promises of every recurrent model, whatever its attention, cell, layers and feeding.
#include "model/recurrent/recurrent.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "model/device.h"
#include "model/model.h"
#include "model/recurrent/support.h"
#include "model/reorder_beams.h"

namespace heed::model {
namespace {

using namespace testing;

class EveryRecurrent : public ::testing::TestWithParam<std::string> {
 protected:
  /// Runs `check` for every kind of model with the attention, freshly built, without dropout or
  /// gradients.
  template <class Check>
  void for_each_kind(Check check) {
    for (const Kind& kind : kinds_of(GetParam())) {
      SCOPED_TRACE(name_of_kind(kind));
      kind_ = kind;
      model_ = small_model(kind);
      model_->eval();
      check();
    }
  }
  Tensor forced(const Source& source, const Tensor& target, Trace* trace = nullptr) {
    return model_->logits(model_->features(source, target, trace));
  }
  at::NoGradGuard guard_;
  Kind kind_;
  ModelPtr model_;
};

TEST_P(EveryRecurrent, StepsEqualTeacherForcing) {
  for_each_kind([&] {
    const Source source = source_of(three_sources());
    const Tensor target = padded(three_targets());
    Trace whole, single;
    const Tensor logits = forced(source, target, &whole);
    ASSERT_EQ(logits.sizes(), at::IntArrayRef({3, 5, kTargetVocabulary}));
    State state = model_->start(source);
    for (int64_t t = 0; t < 5; ++t) {
      EXPECT_EQ(state.position, t);
      const Tensor step = model_->step(target.narrow(1, t, 1), state, &single);
      ASSERT_EQ(step.sizes(), at::IntArrayRef({3, 1, kTargetVocabulary}));
      EXPECT_LT(distance(step, logits.narrow(1, t, 1)), 1e-5) << t;
    }
    if (!model_->attends()) {
      EXPECT_TRUE(whole.maps.empty() && single.maps.empty());
      return;
    }
    ASSERT_EQ(whole.maps.size(), 1U);
    ASSERT_EQ(whole.maps[0].weights.sizes(), at::IntArrayRef({3, kind_.heads, 5, 7}));
    ASSERT_EQ(single.maps.size(), 5U);
    for (int64_t t = 0; t < 5; ++t)
      EXPECT_LT(distance(single.maps[t].weights, whole.maps[0].weights.narrow(2, t, 1)), 1e-5) << t;
  });
}

TEST_P(EveryRecurrent, PaddingAndNeighboursChangeNothing) {
  for_each_kind([&] {
    const Tensor target = padded(three_targets());
    const Tensor together = forced(source_of(three_sources(), 9), target);
    const Tensor otherwise = forced(source_of(three_sources(), 11, 7), target);
    EXPECT_LT(distance(together, otherwise), 1e-6);
    for (int64_t i = 0; i < 3; ++i) {
      const Tensor alone = forced(source_of({three_sources()[i]}), target.narrow(0, i, 1));
      EXPECT_LT(distance(together.narrow(0, i, 1), alone), 1e-5) << i;
    }
  });
}

TEST_P(EveryRecurrent, APositionDependsOnEarlierTargetsOnly) {
  for_each_kind([&] {
    const Source source = source_of(three_sources());
    const Tensor target = padded(three_targets());
    Tensor changed = target.clone();
    changed.narrow(1, 3, 2).fill_(9);
    const Tensor here = forced(source, target), there = forced(source, changed);
    EXPECT_LT(distance(here.narrow(1, 0, 3), there.narrow(1, 0, 3)), 1e-6);
    EXPECT_GT(distance(here.narrow(1, 3, 1), there.narrow(1, 3, 1)), 1e-4);
  });
}

TEST_P(EveryRecurrent, TheSourceMatters) {
  for_each_kind([&] {
    const Tensor target = padded(three_targets());
    auto changed = three_sources();
    changed[1][0] = 12;
    const Tensor here = forced(source_of(three_sources()), target);
    EXPECT_GT(distance(here[1], forced(source_of(changed), target)[1]), 1e-5);
  });
}

TEST_P(EveryRecurrent, HypothesesOfABeamAreIndependentAndFollowTheirParents) {
  for_each_kind([&] {
    const Source source = source_of(three_sources());
    State state = model_->start(source);
    const Tensor bos = at::full({3, 1}, kBos, at::kLong);
    model_->step(bos, state);
    reorder_beams(state, at::zeros({3, 5}, at::kLong));
    const Tensor second = at::arange(3, 8).expand({3, 5}).contiguous();
    model_->step(second, state);
    const Tensor parents = padded({{4, 0, 2}, {1, 1, 3}, {0, 4, 4}});
    reorder_beams(state, parents);
    reorder(state, at::tensor({2, 0}, at::kLong), {});
    const Tensor third = padded({{6, 7, 8}, {9, 10, 3}});
    const Tensor logits = model_->step(third, state);
    ASSERT_EQ(logits.sizes(), at::IntArrayRef({2, 3, kTargetVocabulary}));
    for (int64_t row = 0; row < 2; ++row)
      for (int64_t beam = 0; beam < 3; ++beam) {
        const int64_t sentence = row == 0 ? 2 : 0;
        const int64_t before =
            second[sentence][parents[sentence][beam].item<int64_t>()].item<int64_t>();
        const Tensor prefix = padded({{kBos, before, third[row][beam].item<int64_t>()}});
        const Tensor expected = forced(source_of({three_sources()[sentence]}), prefix);
        EXPECT_LT(distance(logits[row][beam], expected[0][2]), 1e-5) << row << " " << beam;
      }
  });
}

TEST_P(EveryRecurrent, SameSeedSameBits) {
  for_each_kind([&] {
    at::AutoGradMode with_gradients(true);
    std::vector<Tensor> gradients[2];
    for (auto& found : gradients) {
      ModelConfig config = small_config(kind_);
      config.dropout = config.attention_dropout = config.word_dropout = 0.3;
      at::manual_seed(5);
      const ModelPtr model = make_recurrent(config, {kSourceVocabulary, kTargetVocabulary});
      model->logits(model->features(source_of(three_sources()), padded(three_targets())))
          .square()
          .sum()
          .backward();
      for (const Tensor& parameter : model->parameters()) found.push_back(parameter.grad());
    }
    for (std::size_t i = 0; i < gradients[0].size(); ++i)
      EXPECT_TRUE(gradients[0][i].equal(gradients[1][i])) << i;
  });
}

TEST_P(EveryRecurrent, Bfloat16AutocastTrainsNearFp32) {
  for_each_kind([&] {
    const Source source = source_of(three_sources());
    const Tensor target = padded(three_targets());
    const Tensor expected = forced(source, target);
    at::AutoGradMode with_gradients(true);
    Tensor logits;
    {
      const Autocast autocast(at::kCPU, at::kBFloat16);
      logits = forced(source, target);
    }
    EXPECT_EQ(logits.scalar_type(), at::kBFloat16);
    EXPECT_LT(distance(logits.to(at::kFloat), expected), 0.05);
    logits.to(at::kFloat).square().sum().backward();
    for (const Tensor& parameter : model_->parameters())
      EXPECT_TRUE(parameter.grad().isfinite().all().item<bool>());
  });
}

TEST_P(EveryRecurrent, Bfloat16WeightsDecodeNearFp32) {
  for_each_kind([&] {
    const Source source = source_of(three_sources());
    const Tensor bos = at::full({3, 1}, kBos, at::kLong);
    State state = model_->start(source);
    const Tensor expected = model_->step(bos, state);
    model_->to(at::kBFloat16);
    state = model_->start(source);
    EXPECT_LT(distance(model_->step(bos, state).to(at::kFloat), expected), 0.05);
  });
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryRecurrent, ::testing::ValuesIn(attention_names()),
                         [](const auto& info) { return info.param; });

TEST(Recurrent, RefusesOptionsThatExcludeEachOther) {
  const auto refused = [](const char* attention, auto change) {
    ModelConfig config = small_config({attention});
    change(config);
    EXPECT_THROW(make_recurrent(config, {5, 5}), UserError) << attention;
  };
  refused("bahdanau", [](ModelConfig& config) { config.hidden_size = 7; });
  refused("bahdanau", [](ModelConfig& config) { config.input_feeding = true; });
  refused("none", [](ModelConfig& config) { config.input_feeding = true; });
  refused("luong_dot", [](ModelConfig& config) { config.readout = Readout::maxout; });
  refused("bahdanau", [](ModelConfig& config) { config.window = Window::local_m; });
}

TEST(Recurrent, DropoutOfEachKindActsInTrainingOnly) {
  for (const auto share :
       {&ModelConfig::dropout, &ModelConfig::attention_dropout, &ModelConfig::word_dropout}) {
    ModelConfig config = small_config({"bahdanau", Cell::gru, 2});
    config.*share = 0.4;
    at::manual_seed(7);
    const ModelPtr model = make_recurrent(config, {kSourceVocabulary, kTargetVocabulary});
    const Source source = source_of(three_sources());
    const Tensor target = padded(three_targets());
    EXPECT_GT(distance(model->features(source, target), model->features(source, target)), 1e-5);
    model->eval();
    EXPECT_EQ(distance(model->features(source, target), model->features(source, target)), 0.0);
  }
}

}  // namespace
}  // namespace heed::model
