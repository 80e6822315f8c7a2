// Forward and backward as graphs: the numbers of passes that are none.
#include "train/recorded_pass.h"

#include <gtest/gtest.h>

#include <numeric>

#include "accelerator/support.h"
#include "train/own_optimizer.h"
#include "train/trainer_support.h"
#include "train/update.h"

namespace heed::accelerator {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(PassShape, HoldsTheBatchAndSentencesOfPaddingInFewShapes) {
  data::Batch batch;
  batch.size = 5;
  batch.source_length = 9;
  batch.target_length = 4;
  batch.source_lengths = {9, 1, 2, 3, 5};
  batch.target_lengths = {1, 4, 4, 2, 2};
  // 8 sentences: 3 of padding; 20 + 3 source positions become 24, 13 + 3 target positions 16.
  EXPECT_EQ(
      train::unpadded_shape(batch),
      (train::PassShape{
          .sentences = 8, .source_length = 16, .target_length = 16, .source = 24, .target = 16}));
  EXPECT_EQ(
      train::padded_shape(batch),
      (train::PassShape{
          .sentences = 8, .source_length = 12, .target_length = 4, .source = 0, .target = 16}));
  EXPECT_THAT(train::filled_lengths(batch.source_lengths, 8, 16, 24),
              ElementsAre(9, 1, 2, 3, 5, 2, 1, 1));
  EXPECT_THAT(train::filled_lengths(batch.target_lengths, 8, 16, 16),
              ElementsAre(1, 4, 4, 2, 2, 1, 1, 1));
}

TEST(PassShape, HasSentencesOfPaddingThatAreNotLongerThanTheLongest) {
  for (int64_t size = 1; size < 300; size += 7)
    for (const int64_t length : {1, 3, 8, 50, 301}) {
      data::Batch batch;
      batch.size = size;
      batch.source_length = length;
      batch.target_length = 1;
      batch.source_lengths.assign(size, length);
      batch.target_lengths.assign(size, 1);
      const train::PassShape shape = train::unpadded_shape(batch);
      for (const auto& [lengths, positions] :
           {std::pair(batch.source_lengths, shape.source), {batch.target_lengths, shape.target}}) {
        const auto all =
            train::filled_lengths(lengths, shape.sentences, shape.source_length, positions);
        EXPECT_EQ(std::ssize(all), shape.sentences);
        EXPECT_EQ(std::accumulate(all.begin(), all.end(), int64_t{0}), positions);
        EXPECT_GE(*std::ranges::min_element(all), 1);
        EXPECT_LE(*std::ranges::max_element(all), shape.source_length);
      }
      EXPECT_LE(shape.source, size * length * 5 / 4 + 2 * 8 + shape.sentences - size);
    }
}

model::ModelConfig wide_heads(double dropout = 0) {
  model::ModelConfig config = model::testing::small_transformer();
  config.heads = 2;  // 8 wide
  config.dropout = dropout;
  return config;
}

struct Passes {
  std::vector<train::UpdateNumbers> numbers;
  train::NamedTensors weights;
  std::vector<std::string> reads, writes;
  std::string why_not;
};

/// Updates of three kinds of batches in turn, so that graphs are recorded and replayed.
Passes updated(const model::ModelConfig& kind, train::TrainConfig config,
               at::ScalarType precision = at::kFloat) {
  config.micro_batches = 1;
  const model::ModelPtr model = model::testing::model_of(kind, kPieces);
  train::choose_trainable(*model, config);
  model->to(device());
  train::OwnOptimizer own(config, *model);
  train::Updater updater(*model, config, device(), precision, own.optimizer, nullptr);
  Passes out;
  std::vector<train::UpdateReport> reports;
  const Watch watch;
  for (int update = 1; update <= 7; ++update) {
    model->train();
    reports.push_back(
        updater.run(train::parts_of({small_batch(update % 3)}, config),
                    {.update = update, .rate = 0.01, .loss_scale = update < 4 ? 1. : 2.}));
  }
  out.reads = watch.waits(Wait::kRead);
  out.writes = watch.waits(Wait::kWrite);
  out.why_not = updater.recorded_pass().why_not();
  for (const auto& report : reports) out.numbers.push_back(report.numbers());
  for (const auto& [name, weight] : train::trainable(*model))
    out.weights.emplace(name, weight.detach().cpu());
  return out;
}

train::TrainConfig with_graphs(train::Graphs graphs = train::Graphs::auto_) {
  train::TrainConfig config;
  config.graphs = graphs;
  return config;
}

/// Returns why they are not recorded.
std::string expect_the_numbers_of_passes_that_are_not_recorded(
    const model::ModelConfig& kind, at::ScalarType precision,
    const train::Adapters& adapters = {}) {
  train::TrainConfig recorded = with_graphs(), off = with_graphs(train::Graphs::off);
  recorded.adapters = off.adapters = adapters;
  // Adam would divide gradients by themselves that are 0 but for rounding.
  recorded.optimizer = off.optimizer = train::OptimizerKind::sgd;
  const Passes ours = updated(kind, recorded, precision);
  const Passes plain = updated(kind, off, precision);
  const double tolerance = precision == at::kFloat ? 1e-5 : 1e-2;
  for (std::size_t i = 0; i < ours.numbers.size(); ++i) {
    EXPECT_NEAR(ours.numbers[i].loss, plain.numbers[i].loss, tolerance * plain.numbers[i].loss);
    EXPECT_NEAR(ours.numbers[i].nll, plain.numbers[i].nll, tolerance * plain.numbers[i].nll);
    EXPECT_NEAR(ours.numbers[i].norm, plain.numbers[i].norm, tolerance * plain.numbers[i].norm);
  }
  for (const auto& [name, weight] : ours.weights) {
    if (precision != at::kFloat) break;
    EXPECT_LT((weight - plain.weights.at(name)).abs().max().item<double>(), 1e-6) << name;
  }
  if (ours.why_not.empty()) {
    EXPECT_THAT(ours.reads, IsEmpty());
    EXPECT_THAT(ours.writes, IsEmpty());
  }
  return ours.why_not;
}

TEST(RecordedPass, GivesTheNumbersOfPassesThatAreNotRecorded) {
  for (const auto precision : {at::kFloat, at::kBFloat16})
    EXPECT_EQ(expect_the_numbers_of_passes_that_are_not_recorded(wide_heads(), precision), "");
}

TEST(RecordedPass, GivesTheNumbersWithAdapters) {
  for (const auto precision : {at::kFloat, at::kBFloat16})
    EXPECT_EQ(expect_the_numbers_of_passes_that_are_not_recorded(
                  wide_heads(), precision,
                  {train::AdapterKind::lora, 3, 6, {"attention", "feed_forward"}}),
              "");
}

class EveryRecordedPass : public ::testing::TestWithParam<NamedConfig> {};

TEST_P(EveryRecordedPass, GivesTheNumbersOfPassesThatAreNotRecorded) {
  const model::ModelConfig& kind = GetParam().config;
  const bool copies = kind.type == model::ModelType::transformer &&
                      (kind.positions == "alibi" || kind.positions == "t5");  // their numbers
  const std::string why_not = expect_the_numbers_of_passes_that_are_not_recorded(kind, at::kFloat);
  EXPECT_EQ(why_not.starts_with("a copy from the host"), copies) << why_not;
  EXPECT_EQ(why_not.empty(), !copies);
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryRecordedPass, ::testing::ValuesIn(every_kind()),
                         [](const auto& info) { return info.param.name; });

TEST(RecordedPass, DrawsItsDropoutFromTheSeedAgainInEachReplay) {
  const Passes once = updated(wide_heads(0.3), with_graphs());
  const Passes again = updated(wide_heads(0.3), with_graphs());
  const Passes without = updated(wide_heads(), with_graphs());
  for (std::size_t i = 0; i < once.numbers.size(); ++i) {
    EXPECT_EQ(once.numbers[i].loss, again.numbers[i].loss) << i;
    EXPECT_NE(once.numbers[i].loss, without.numbers[i].loss) << i;
  }
  EXPECT_EQ(once.why_not, "");
}

TEST(RecordedPass, SaysWhyItIsNone) {
  const auto why = [](const model::ModelConfig& kind, const train::TrainConfig& config,
                      at::ScalarType precision = at::kFloat) {
    return updated(kind, config, precision).why_not;
  };
  train::TrainConfig twice = with_graphs();
  twice.consistency = train::Consistency::rdrop;
  EXPECT_THAT(why(wide_heads(), twice), HasSubstr("training.consistency"));
  EXPECT_THAT(why(wide_heads(), with_graphs(train::Graphs::off)), HasSubstr("off"));
}

}  // namespace
}  // namespace heed::accelerator
