// Guided alignment: the loss in numbers worked by hand, and in updates of every kind of model.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "data/example.h"
#include "model/kinds.h"
#include "model/model.h"
#include "own_optimizer.h"
#include "train/loss.h"
#include "train/metrics.h"
#include "train/ranked.h"
#include "train/update.h"
#include "trainer_support.h"

namespace heed::train {
namespace {

TrainConfig config_of(double weight) {
  TrainConfig config;
  config.guided_alignment = weight;
  return config;
}

// Two pairs of 3 and 2 target pieces and 3 source pieces, all with </s>.
data::Batch two_pairs() {
  data::Example one{{5, 6, 7}, {5, 6, 7}, {}}, other{{5, 6}, {5, 6}, {}};
  one.links = {{0, 1}, {2, 0}, {2, 2}};  // piece 1 has none
  other.links = {{1, 0}};
  return toy::batch_of({one, other});
}

Tensor guided_loss(const Tensor& logs, const data::Batch& batch, GuidedStep step) {
  TrainConfig config;
  config.guided_step = step;
  return align_loss({batch, config, {}, logs});
}

TEST(GuidedLoss, IsTheCrossEntropyOfLinkedPieces) {
  const data::Batch batch = two_pairs();
  at::manual_seed(1);
  const Tensor logs = at::rand({2, 4, 4}, at::kDouble).neg().requires_grad_();
  const auto at = [&](int64_t row, int64_t t, int64_t s) { return logs[row][t][s].item<double>(); };
  const Tensor loss = guided_loss(logs, batch, GuidedStep::emits);
  EXPECT_NEAR(loss.item<double>(),
              -(at(0, 0, 1) + 0.5 * at(0, 2, 0) + 0.5 * at(0, 2, 2) + at(1, 1, 0)), 1e-12);
  loss.backward();
  const Tensor expected = at::zeros({2, 4, 4}, at::kDouble);
  expected[0][0][1] = expected[1][1][0] = -1;
  expected[0][2][0] = expected[0][2][2] = -0.5;
  EXPECT_TRUE(at::equal(logs.grad(), expected));
}

TEST(GuidedLoss, OfTheStepThatReadsAPieceIsOneRowLater) {
  at::manual_seed(2);
  const Tensor logs = at::rand({2, 4, 4}, at::kDouble).neg();
  const Tensor later = logs.narrow(1, 1, 3);
  EXPECT_EQ(guided_loss(logs, two_pairs(), GuidedStep::reads).item<double>(),
            guided_loss(later, two_pairs(), GuidedStep::emits).item<double>());
}

TEST(GuidedLoss, OfPaddingWithoutWeightIsFinite) {
  Tensor scores = at::zeros({2, 4, 4});
  scores[1].narrow(1, 3, 1).fill_(-INFINITY);  // the shorter source
  scores.requires_grad_();
  const Tensor loss = guided_loss(at::log_softmax(scores, -1), two_pairs(), GuidedStep::emits);
  EXPECT_NEAR(loss.item<double>(), 2 * std::log(4) + std::log(3), 1e-6);
  loss.backward();
  EXPECT_TRUE(scores.grad().isfinite().all().item<bool>());
}

TEST(TraceOfLosses, IsWantedWhereThereAreLinksAndAWeight) {
  const data::Batch batch = two_pairs();
  EXPECT_FALSE(trace_of_losses(batch, config_of(0)));
  EXPECT_FALSE(trace_of_losses(toy::batch_of(toy::copies(3)), config_of(1)));
  TrainConfig config = config_of(1);
  config.taught_layer = 1;
  config.taught_head = 3;
  const auto trace = trace_of_losses(batch, config);
  ASSERT_TRUE(trace);
  EXPECT_TRUE(trace->kinds.empty());
  EXPECT_EQ(trace->guided->layer, 1);
  EXPECT_EQ(trace->guided->head, 3);
}

std::vector<model::testing::NamedConfig> guided_kinds() {
  auto kinds = model::testing::every_kind();
  std::erase_if(kinds, [](const auto& kind) {
    return kind.config.attention_normaliser != "softmax" ||
           (kind.config.type == model::ModelType::rnn &&
            (kind.config.attention == "none" || kind.config.window != model::Window::global));
  });
  return kinds;
}

struct Trained {
  std::vector<UpdateNumbers> numbers;
  NamedTensors weights;
};

Trained trained(const model::ModelConfig& kind, TrainConfig training, int64_t updates,
                const std::vector<data::Example>& examples, at::ScalarType precision = at::kFloat,
                double rate = 0.01) {
  training.micro_batches = 2;
  const model::ModelPtr model = model::testing::model_of(kind, kPieces);
  OwnOptimizer own(training, *model);
  Updater updater(*model, training, at::kCPU, precision, own.optimizer, nullptr, [&] {
    return model::make_model(kind, {kPieces, kPieces});
  });
  model->train();
  Trained out;
  for (int64_t update = 1; update <= updates; ++update)
    out.numbers.push_back(updater
                              .run(parts_of({toy::batch_of(examples)}, training),
                                   {.update = update, .rate = rate, .seed = 3})
                              .numbers());
  for (const auto& [name, weight] : model::named_weights(*model))
    out.weights[name] = weight.clone();
  return out;
}

/// Few large updates, for whatever is to fall.
std::vector<UpdateNumbers> learned(const model::ModelConfig& kind, const TrainConfig& training,
                                   const std::vector<data::Example>& examples) {
  return trained(kind, training, 12, examples, at::kFloat, 0.03).numbers;
}

TEST(Guided, AttentionLearnsItsLinksInEveryKindOfModel) {
  const auto examples = toy::linked(toy::copies(9, 10));
  for (const auto& [name, kind] : guided_kinds()) {
    SCOPED_TRACE(name);
    TrainConfig training = config_of(1);
    training.taught_layer = -1;
    const auto numbers = learned(kind, training, examples);
    EXPECT_GT(numbers[0].terms.at("align"), 0);
    EXPECT_LT(numbers.back().terms.at("align"), 0.95 * numbers[0].terms.at("align"));
    EXPECT_LT(numbers.back().nll, numbers[0].nll);
  }
}

TEST(Guided, TheLossIsTheSumWithItsWeight) {
  const auto examples = toy::linked(toy::copies(9, 10));
  for (const auto& [name, kind] : guided_kinds()) {
    SCOPED_TRACE(name);
    const auto plain = trained(kind, config_of(0), 1, examples).numbers[0];
    const auto guided = trained(kind, config_of(0.25), 1, examples).numbers[0];
    EXPECT_THAT(plain.terms, ::testing::IsEmpty());
    EXPECT_NEAR(guided.loss, plain.loss + 0.25 * guided.terms.at("align"), 1e-6 * guided.loss);
    EXPECT_EQ(guided.nll, plain.nll);
  }
}

// The coverage loss is of the same attention, and needs no links.
TEST(Guided, TheCoverageLossIsAddedWithItsWeightAndFalls) {
  const auto examples = toy::copies(9, 10);
  TrainConfig covering = config_of(0);
  covering.coverage_loss = 0.25;
  covering.taught_layer = -1;
  for (const auto& [name, kind] : guided_kinds()) {
    SCOPED_TRACE(name);
    const auto plain = trained(kind, config_of(0), 1, examples).numbers[0];
    const auto covered = learned(kind, covering, examples);
    const double cover = covered[0].terms.at("cover");
    EXPECT_THAT(plain.terms, ::testing::IsEmpty());
    EXPECT_GT(cover, 0);
    EXPECT_NEAR(covered[0].loss, plain.loss + 0.25 * cover, 1e-6 * plain.loss);
    EXPECT_EQ(covered[0].nll, plain.nll);
    EXPECT_LT(covered.back().terms.at("cover"), cover);
  }
}

TEST(Guided, NothingChangesWithoutLinksOrWithoutAWeight) {
  const auto copies = toy::copies(9, 10, /*most=*/4);
  for (const auto& [name, kind] : guided_kinds()) {
    SCOPED_TRACE(name);
    const Trained plain = trained(kind, config_of(0), 2, copies);
    for (const Trained& same : {trained(kind, config_of(1), 2, copies),
                                trained(kind, config_of(0), 2, toy::linked(copies))}) {
      EXPECT_EQ(same.numbers[1].loss, plain.numbers[1].loss);
      expect_equal(same.weights, plain.weights, "weights");
    }
  }
}

TEST(Guided, GoesWithConsistencyByItsFirstPrediction) {
  const auto examples = toy::linked(toy::copies(9, 10));
  for (const auto& [name, kind] : guided_kinds()) {
    SCOPED_TRACE(name);
    const double alone = trained(kind, config_of(1), 1, examples).numbers[0].terms.at("align");
    for (const auto consistency : {Consistency::rdrop, Consistency::simcut}) {
      TrainConfig training = config_of(1);
      training.consistency = consistency;
      training.consistency_share = 0.5;
      const auto numbers = trained(kind, training, 1, examples).numbers[0];
      EXPECT_NEAR(numbers.terms.at("align"), alone, 1e-4 * alone);
    }
  }
}

TEST(Guided, ComputesInFp32UnderAutocast) {
  const auto examples = toy::linked(toy::copies(9, 10));
  for (const auto& [name, kind] : guided_kinds()) {
    SCOPED_TRACE(name);
    const double exact = trained(kind, config_of(1), 1, examples).numbers[0].terms.at("align");
    const auto rounded = trained(kind, config_of(1), 2, examples, at::kBFloat16).numbers;
    EXPECT_NEAR(rounded[0].terms.at("align"), exact, 0.05 * exact);
    EXPECT_TRUE(rounded[1].finite());
  }
}

TEST(Guided, RanksOfAnyNumberMakeTheSameWeights) {
  int number = 0;
  for (const auto& [name, config] : guided_kinds()) {
    if (number++ % 3 != 0) continue;
    SCOPED_TRACE(name);
    auto dropping = config;
    dropping.dropout = 0.2;
    const UpdatesOptions options{.model = dropping,
                                 .precision = number % 2 == 0 ? at::kBFloat16 : at::kFloat,
                                 .guided = 0.5};
    ranks::Group alone;
    const Outcome one = updates(alone, options);
    ranks::together(2 + number % 3, [&](ranks::Group& group) {
      at::set_num_threads(1);
      expect_equal(updates(group, options), one);
    });
  }
}

TEST(Guided, TheLogHasTheLoss) {
  Progress progress;
  progress.update = 7;
  progress.interval.tokens = 40;
  progress.interval.loss = 80;
  progress.interval.terms["align"] = 30;
  const LineContext guided{.terms = auxiliary_losses(config_of(1))};
  EXPECT_THAT(line_text(progress, guided), HasSubstr(" align 0.750 rate"));
  EXPECT_THAT(line_text(progress, {}), ::testing::Not(HasSubstr("align")));
  const TemporaryFolder folder;
  Metrics metrics_file(folder.path());
  metrics_file.interval(progress, guided);
  EXPECT_EQ(metrics(folder, "train").at(0).at("align"), 0.75);
}

TEST(Coverage, TheLogHasTheLoss) {
  Progress progress;
  progress.interval.tokens = 40;
  progress.interval.terms["cover"] = 10;
  TrainConfig config;
  config.coverage_loss = 1;
  const LineContext covered{.terms = auxiliary_losses(config)};
  EXPECT_THAT(line_text(progress, covered), HasSubstr(" cover 0.250 rate"));
  EXPECT_THAT(line_text(progress, {}), ::testing::Not(HasSubstr("cover")));
  const TemporaryFolder folder;
  Metrics metrics_file(folder.path());
  metrics_file.interval(progress, covered);
  EXPECT_EQ(metrics(folder, "train").at(0).at("cover"), 0.25);
}

TEST(Guided, OlderCheckpointsHaveNoneInTheirWindow) {
  Progress progress;
  progress.interval.terms["align"] = 3;
  EXPECT_EQ(Progress::from_json(progress.to_json(), "here").interval.terms.at("align"), 3);
  json older = json::parse(progress.to_json());
  older.erase("window_align");
  older.erase("window_cover");
  EXPECT_EQ(Progress::from_json(older.dump(), "here").interval.terms.at("align"), 0);
}

}  // namespace
}  // namespace heed::train
