// Steps of Transformers with a beam on the simulated accelerator, whose caches belong to sentences:
// what the CPU's caches of hypotheses give, and what a step costs.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "accelerator/support.h"
#include "model/device.h"
#include "model/model.h"

namespace heed::accelerator {
namespace {

using at::Tensor;
using model::State;

Tensor there(const Tensor& host) {
  return host.defined() ? model::upload(host, device()) : host;
}

::testing::AssertionResult near(const Tensor& ours, const Tensor& cpu) {
  const Tensor host = ours.cpu();
  if (at::allclose(host, cpu, 1e-4, 1e-5)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "differs by " << (host - cpu).abs().max().item<float>();
}

/// One model on both devices, stepped in the same way.
class Twins {
 public:
  explicit Twins(const model::ModelConfig& config)
      : here_(model::testing::model_of(config, kPieces)),
        there_(model::testing::model_of(config, kPieces)) {
    here_->eval();
    there_->eval();
    there_->to(device());
    const data::Batch batch = small_batch();
    cpu_ = here_->start(model::make_source(batch, at::kCPU));
    sim_ = there_->start(model::make_source(batch, device()));
    all_steps_ = config.sliding_window == 0 && config.self_attention != "linear";
  }

  void step(const Tensor& tokens) {
    model::Trace cpu;
    if (all_steps_) cpu.kinds.insert(model::AttentionKind::decoder);
    model::Trace sim = cpu;
    const Tensor wanted = here_->step(tokens, cpu_, &cpu);
    EXPECT_TRUE(near(there_->step(accelerator::there(tokens), sim_, &sim), wanted))
        << "step " << cpu_.position;
    ASSERT_EQ(sim.maps.size(), cpu.maps.size());
    for (std::size_t i = 0; i < cpu.maps.size(); ++i) {
      EXPECT_EQ(sim.maps[i].kind, cpu.maps[i].kind);
      EXPECT_EQ(sim.maps[i].layer, cpu.maps[i].layer);
      ASSERT_EQ(sim.maps[i].weights.sizes(), cpu.maps[i].weights.sizes());
      EXPECT_TRUE(near(sim.maps[i].weights, cpu.maps[i].weights));
    }
  }

  void reorder(const Tensor& sentences, const Tensor& hypotheses) {
    model::reorder(cpu_, sentences, hypotheses);
    model::reorder(sim_, accelerator::there(sentences), accelerator::there(hypotheses));
  }

 private:
  model::ModelPtr here_, there_;
  State cpu_, sim_;
  bool all_steps_;
};

Tensor some_tokens(int64_t sentences, int64_t beam) {
  return at::randint(3, kPieces, {sentences, beam}, at::kLong);
}

class EveryTransformer : public ::testing::TestWithParam<NamedConfig> {
 protected:
  const model::ModelConfig& kind() const { return GetParam().config; }
  /// Whether the decoder keeps sums in place of keys and values.
  bool keeps_sums() const {
    return kind().self_attention == "linear" || kind().decoder != model::DecoderKind::attention;
  }
  const at::NoGradGuard no_gradients_;
};

TEST_P(EveryTransformer, StepsAsOnTheCpuWhileBeamsGrowMoveAndShrink) {
  Twins twins(kind());
  at::manual_seed(5);
  const Tensor five = at::arange(5).unsqueeze(1), three = at::tensor({4, 0, 1}).unsqueeze(1);
  twins.step(at::full({5, 1}, text::kBegin, at::kLong));
  twins.step(some_tokens(5, 1));  // a prefix has one hypothesis, too
  twins.reorder({}, five.expand({5, 3}).contiguous());
  for (int t = 0; t < 4; ++t) {
    twins.step(some_tokens(5, 3));
    if (t != 2) twins.reorder({}, at::randint(3, {5, 3}, at::kLong) + 3 * five);
  }
  twins.step(some_tokens(5, 3));
  // Two sentences leave, the others change their order, and hypotheses end.
  twins.reorder(three.flatten(), at::randint(3, {3, 2}, at::kLong) + 3 * three);
  for (int t = 0; t < 20; ++t) {  // beyond the room that there was
    twins.step(some_tokens(3, 2));
    twins.reorder({}, at::randint(2, {3, 2}, at::kLong) + 2 * at::arange(3).unsqueeze(1));
  }
  twins.reorder({}, 2 * at::arange(3).unsqueeze(1));
  for (int t = 0; t < 2; ++t) twins.step(some_tokens(3, 1));
}

TEST_P(EveryTransformer, ACopyOfAStateGoesItsOwnWay) {
  const model::ModelPtr model = model::testing::model_of(kind(), kPieces);
  model->eval();
  model->to(device());
  const auto source = model::make_source(small_batch(), device());
  const Tensor widened = there(at::arange(5).unsqueeze(1).expand({5, 2}).contiguous());
  const auto begin = [&] {
    State state = model->start(source);
    model->step(there(at::full({5, 1}, text::kBegin, at::kLong)), state);
    model::reorder(state, {}, widened);
    model->step(there(at::full({5, 2}, 4, at::kLong)), state);
    return state;
  };
  State state = begin(), untouched = begin(), copy = state;
  for (const int64_t piece : {5, 6}) {
    const Tensor tokens = there(at::full({5, 2}, piece, at::kLong));
    model->step(there(at::full({5, 2}, 9, at::kLong)), copy);
    EXPECT_TRUE(at::equal(model->step(tokens, state), model->step(tokens, untouched)));
  }
}

/// Steps of `beam` hypotheses; after each, reorder() is called where `reorders`.
class Costs {
 public:
  Costs(const model::ModelConfig& config, int64_t beam, bool reorders) {
    const model::ModelPtr model = model::testing::model_of(config, kPieces);
    model->eval();
    model->to(device());
    State state = model->start(model::make_source(small_batch(), device()));
    const Tensor hypotheses =
        there((at::arange(beam).flip(0) + beam * at::arange(5).unsqueeze(1)).contiguous());
    model->step(there(at::full({5, 1}, text::kBegin, at::kLong)), state);
    model::reorder(state, {}, there(at::arange(5).unsqueeze(1).expand({5, beam}).contiguous()));
    const Tensor tokens = there(at::full({5, beam}, 4, at::kLong));
    for (int t = 0; t < 38; ++t) {
      const Work work;
      model->step(tokens, state);
      steps.push_back(work.launches());
      const Work order;
      if (reorders) model::reorder(state, {}, hypotheses);
      orders.push_back(order.launches());
      bytes.push_back(order.bytes());
      if (!state.carried[0].defined()) continue;
      rows.push_back(static_cast<int64_t>(state.carried[0].nbytes()));
    }
  }
  std::vector<int64_t> steps, orders, bytes;
  std::vector<int64_t> rows;  // bytes of what hypotheses see
};

TEST_P(EveryTransformer, AStepCostsAsMuchAtEveryPosition) {
  if (keeps_sums()) return;
  const Costs costs(kind(), 3, true);
  const auto [least, most] = std::ranges::minmax(costs.steps);
  // Two things come on top of the least: room for more steps, which is made a few times; and a
  // window begins to hide steps.
  const int64_t more = kind().sliding_window > 0 ? 12 : 8;
  EXPECT_LE(most, least + more);
  EXPECT_LE(std::ranges::count_if(costs.steps,
                                  [&, least = least](int64_t one) {
                                    return one > least + (kind().sliding_window > 0 ? 4 : 0);
                                  }),
            kind().sliding_window > 0 ? 4 : 3);
}

TEST_P(EveryTransformer, BeamsAreReorderedByOneLaunchThatCopiesNoKeys) {
  if (keeps_sums()) return;
  const Costs costs(kind(), 3, true);
  EXPECT_THAT(costs.orders, ::testing::Each(1));
  EXPECT_EQ(costs.bytes, costs.rows);
  // A number for each hypothesis and position.
  EXPECT_EQ(costs.rows.front(), 5 * 3 * 16 * 4);
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryTransformer,
                         ::testing::ValuesIn(model::testing::transformer_kinds()),
                         [](const auto& info) { return info.param.name; });

TEST(AcceleratorStepping, GreedySearchHidesNothing) {
  const at::NoGradGuard no_gradients;
  const model::ModelPtr model =
      model::testing::model_of(model::testing::small_transformer(), kPieces);
  model->eval();
  model->to(device());
  State state = model->start(model::make_source(small_batch(), device()));
  for (int t = 0; t < 3; ++t) model->step(there(at::full({5, 1}, 4, at::kLong)), state);
  ASSERT_EQ(state.carried.size(), 1U);
  EXPECT_FALSE(state.carried[0].defined());
}

TEST(AcceleratorStepping, LayersMayHaveDifferentNumbersOfHeads) {
  const at::NoGradGuard no_gradients;
  model::ModelConfig config = model::testing::small_transformer();
  config.decoder_layers = 2;
  config.pruned_heads = {"decoder.0.1", "cross.0.0", "cross.0.1", "cross.1.2"};
  Twins twins(config);
  twins.step(at::full({5, 1}, text::kBegin, at::kLong));
  const Tensor first = at::arange(5).unsqueeze(1);
  twins.reorder({}, first.expand({5, 3}).contiguous());
  for (int t = 0; t < 3; ++t) {
    twins.step(some_tokens(5, 3));
    twins.reorder({}, at::randint(3, {5, 3}, at::kLong) + 3 * first);
  }
}

TEST(AcceleratorStepping, ALayerTakesSixteenLaunches) {
  // Three layer norms, six products, two attentions, three sums, one activation, one write.
  // LibTorch's plain operations, which stand in here, take one more for each norm and twelve for
  // each attention.
  constexpr int64_t kLayer = 16, kMoreHere = 3 * 1 + 2 * 12;
  model::ModelConfig one = model::testing::small_transformer(), two = one;
  one.decoder_layers = 1;
  two.decoder_layers = 2;
  one.norm = two.norm = model::Norm::pre;
  const Costs a(one, 3, true), b(two, 3, true);
  EXPECT_LE(b.steps.back() - a.steps.back(), kLayer + kMoreHere);
  // Beside the layers: word vectors, their scale, positions; what a hypothesis sees; the last norm
  // and the output layer.
  EXPECT_LE(a.steps.back(), kLayer + kMoreHere + 7);
}

}  // namespace
}  // namespace heed::accelerator
