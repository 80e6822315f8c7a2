#include "train/trainer.h"

#include <set>

#include "base/error.h"
#include "model/model.h"
#include "own_optimizer.h"
#include "train/update.h"
#include "trainer_support.h"

namespace heed::train {
namespace {

TEST(BatchOptions, AreWhatBothSectionsSay) {
  TrainConfig training;
  training.batch_size = 77;
  training.epochs = 3;
  data::DataConfig data;
  data.pool = 11;
  data.subword_sampling = 0.3;
  const data::BatchOptions options = batch_options(training, data, /*seed=*/5, /*threads=*/2);
  EXPECT_EQ(options.batch_size, 77);
  EXPECT_TRUE(options.tokens);
  EXPECT_EQ(options.pool, 11);
  EXPECT_EQ(options.seed, 5U);
  EXPECT_EQ(options.epochs, 3);
  EXPECT_EQ(options.sampling, 0.3);
  EXPECT_EQ(options.threads, 2);
  training.batch_type = BatchType::sentences;
  EXPECT_FALSE(batch_options(training, data, 5, 2).tokens);
}

/// The loss of the model's calls [from, to) in training is not finite.
void poison(const TrainerSetup& setup, int64_t from, int64_t to) {
  auto& model = dynamic_cast<toy::ToyModel&>(*setup.model);
  model.poison_from = from;
  model.poison_to = to;
}

TEST_F(Trainer, LearnsToCopy) {
  auto config = quick(300);
  config.validate_every = 100;
  config.label_smoothing = 0;
  auto setup = setup_of(folder.path(), config);
  setup.validation = validation();
  const TrainResult result = train(setup);
  EXPECT_EQ(result.updates, 300);
  EXPECT_EQ(result.stopped, StopReason::updates);
  EXPECT_EQ(result.reason(), "training is complete after 300 updates");
  ASSERT_TRUE(result.best_loss.has_value());
  EXPECT_LT(*result.best_loss, 0.05);
  EXPECT_GT(result.tokens_per_second, 0);
  EXPECT_FALSE(setup.model->is_training());
  const auto lines = metrics(folder, "validation");
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_NEAR(lines[2].at("perplexity"), std::exp(lines[2].at("loss").get<double>()), 1e-9);
}

TEST_F(Trainer, MetricsHaveOneObjectALine) {
  auto config = quick(12);
  config.validate_every = 8;
  auto setup = setup_of(folder.path(), config);
  setup.validation = validation();
  setup.scores = [](model::Model& model, int64_t) {
    EXPECT_FALSE(model.is_training());
    return bleu(12.5);
  };
  const TrainResult result = train(setup);
  EXPECT_EQ(result.best_bleu, 12.5);
  EXPECT_EQ(result.bleu_of_best, 12.5);
  const auto lines = metrics(folder, "train");
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].at("update"), 5);
  EXPECT_EQ(lines[1].at("update"), 10);
  EXPECT_EQ(lines[2].at("update"), 12);
  EXPECT_EQ(lines[2].at("last"), true);
  EXPECT_EQ(lines[0].at("learning_rate"), 0.01);
  EXPECT_EQ(lines[0].at("skipped"), 0);
  for (const char* key : {"loss", "perplexity", "gradient_norm", "tokens_per_second", "tokens"})
    EXPECT_GT(lines[0].at(key).get<double>(), 0) << key;
  for (const char* key : {"padding", "waiting"}) {
    EXPECT_GE(lines[0].at(key).get<double>(), 0) << key;
    EXPECT_LT(lines[0].at(key).get<double>(), 1) << key;
  }
  ASSERT_EQ(metrics(folder, "validation").size(), 2U);  // at 8 and at the end
  EXPECT_EQ(metrics(folder, "validation")[1].at("bleu"), 12.5);
}

TEST_F(Trainer, HalfBatchesAccumulatedAreOneBatch) {
  const auto pairs = toy::copies(8);
  const auto weights = [&](const std::vector<data::Batch>& batches) {
    const auto model = std::make_shared<toy::ToyModel>();
    auto config = quick(1);
    config.optimizer = OptimizerKind::sgd;
    OwnOptimizer own(config, *model);
    Updater updater(*model, config, at::kCPU, at::kFloat, own.optimizer, nullptr);
    const UpdateNumbers numbers = updater.run(parts_of(batches, config), {.rate = 1}).numbers();
    EXPECT_TRUE(numbers.finite());
    return std::pair(numbers.loss, model::named_weights(*model));
  };
  const data::Batch whole = toy::batch_of(pairs);
  const auto [loss, one] = weights({whole});
  const auto [sum, two] = weights({rows_of(whole, 0, 3), rows_of(whole, 3, 8)});
  EXPECT_NEAR(loss, sum, 1e-5);
  for (const auto& [name, tensor] : one)
    EXPECT_LT((tensor - two.at(name)).abs().max().item<double>(), 1e-6) << name;
}

TEST_F(Trainer, AccumulateCountsBatchesOfOneUpdate) {
  auto config = quick(1000);
  config.epochs = 2;
  config.log_every = 1;
  const auto setup = setup_of(folder.path(), config);
  const int64_t batches = data::BatchStream(setup.corpus, setup.batches).batches_in_epoch(0);
  EXPECT_EQ(train(setup).updates, 2 * batches);
  config.accumulate = 3;
  const TrainResult result = train(setup_of(other.path(), config));
  EXPECT_EQ(result.updates, (2 * batches + 2) / 3);
  EXPECT_EQ(result.stopped, StopReason::epochs);
  int64_t once = 0, thrice = 0;
  for (const auto& line : metrics(folder, "train")) once += line.at("tokens").get<int64_t>();
  for (const auto& line : metrics(other, "train")) thrice += line.at("tokens").get<int64_t>();
  EXPECT_EQ(once, thrice);
}

/// Everything that a run may carry over an interruption.

TEST_F(Trainer, UpdatesThatAreNotFiniteAreSkippedAndCounted) {
  auto config = quick(12);
  config.log_every = 12;
  auto setup = setup_of(folder.path(), config);
  poison(setup, 4, 7);
  EXPECT_EQ(train(setup).updates, 12);
  EXPECT_EQ(metrics(folder, "train").at(0).at("skipped"), 3);
  EXPECT_TRUE(metrics(folder, "rollback").empty());
  for (const auto& [name, tensor] : read_weights(folder / "model.safetensors"))
    EXPECT_TRUE(at::isfinite(tensor).all().item<bool>()) << name;
}

TEST_F(Trainer, AnIntervalWhoseUpdatesWereAllSkippedHasNoLoss) {
  auto config = quick(6);
  config.log_every = 3;
  auto setup = setup_of(folder.path(), config);
  poison(setup, 1, 4);
  const Logged logged;
  train(setup);
  const auto lines = metrics(folder, "train");
  ASSERT_EQ(lines.size(), 2U);
  for (const char* key : {"loss", "perplexity", "gradient_norm"}) {
    EXPECT_TRUE(lines[0].at(key).is_null()) << key;
    EXPECT_TRUE(lines[1].at(key).is_number()) << key;
  }
  EXPECT_THAT(logged.text(), HasSubstr("update 3 epoch 1 loss - ppl - rate 1.00e-02 norm - tok/s"));
}

TEST_F(Trainer, FiveInARowTakeTheRunBackWithHalfTheRate) {
  auto config = quick(12);
  config.save_every = 4;
  auto setup = setup_of(folder.path(), config);
  poison(setup, 6, 11);
  EXPECT_EQ(train(setup).updates, 12);
  const auto back = metrics(folder, "rollback");
  ASSERT_EQ(back.size(), 1U);
  EXPECT_EQ(back[0].at("update"), 4);
  EXPECT_EQ(back[0].at("rate_factor"), 0.5);
  EXPECT_EQ(metrics(folder, "train").back().at("learning_rate"), 0.005);
}

TEST_F(Trainer, GoesBackBehindAValidationBetweenSkippedUpdates) {
  auto config = quick(12);
  config.save_every = config.validate_every = 4;
  config.keep_last = 1;
  auto setup = setup_of(folder.path(), config);
  setup.validation = validation();  // saves update 8
  poison(setup, 6, 11);
  EXPECT_EQ(train(setup).updates, 12);
  const auto back = metrics(folder, "rollback");
  ASSERT_EQ(back.size(), 1U);
  EXPECT_EQ(back[0].at("update"), 4);
}

TEST_F(Trainer, TheLastUpdatesMayTakeItBack) {
  auto config = quick(10);
  config.save_every = 4;
  auto setup = setup_of(folder.path(), config);
  poison(setup, 6, 11);
  EXPECT_EQ(train(setup).updates, 10);
  EXPECT_EQ(metrics(folder, "rollback").size(), 1U);
}

TEST_F(Trainer, AfterThreeReturnsItEndsWithAFailure) {
  auto setup = setup_of(folder.path(), quick(100));
  poison(setup, 1, 1000);
  EXPECT_THAT(message_of<Failure>([&] { train(setup); }),
              HasSubstr("after 3 returns to an older checkpoint; lower training.learning_rate"));
}

TEST_F(Trainer, ABatchTooLargeForMemoryIsSplit) {
  auto config = quick(6);
  config.optimizer = OptimizerKind::sgd;
  auto small = setup_of(folder.path(), config);
  dynamic_cast<toy::ToyModel&>(*small.model).largest = 16;
  EXPECT_EQ(train(small).updates, 6);
  train(setup_of(other.path(), config));
  const auto a = read_weights(folder / "model.safetensors"),
             b = read_weights(other / "model.safetensors");
  for (const auto& [name, tensor] : a)
    EXPECT_LT((tensor - b.at(name)).abs().max().item<double>(), 1e-6) << name;
}

TEST_F(Trainer, OneSentenceTooLargeForMemoryIsAFailure) {
  auto setup = setup_of(folder.path(), quick(6));
  dynamic_cast<toy::ToyModel&>(*setup.model).largest = 0;
  EXPECT_THAT(message_of<Failure>([&] { train(setup); }),
              HasSubstr("memory runs out on one sentence pair"));
}

TEST_F(Trainer, StopsWhenPatienceEndsAndKeepsTheBest) {
  auto config = quick(100);
  config.validate_every = 5;
  config.early_stopping = {.metric = Metric::bleu, .patience = 2};
  auto setup = setup_of(folder.path(), config);
  setup.validation = validation();
  setup.scores = [scores = std::vector<double>{20, 30, 25, 29, 40}, next = 0](
                     model::Model&, int64_t) mutable { return bleu(scores.at(next++)); };
  const TrainResult result = train(setup);
  EXPECT_EQ(result.stopped, StopReason::patience);
  EXPECT_EQ(result.updates, 20);
  EXPECT_EQ(result.best_update, 10);
  EXPECT_EQ(result.best_bleu, 30);
  expect_same_weights(folder / "model.safetensors",
                      folder / "checkpoints/best-00000010.safetensors");
  const auto held = model::named_weights(*setup.model);
  for (const auto& [name, tensor] : read_weights(folder / "model.safetensors"))
    EXPECT_TRUE(at::equal(held.at(name), tensor)) << name;
}

TEST_F(Trainer, SeveralBestOnesAreAveraged) {
  auto config = quick(20);
  config.validate_every = 5;
  config.keep_best = 3;
  config.keep_last = 1;  // an older checkpoint names the best ones of its time
  auto setup = setup_of(folder.path(), config);
  setup.validation = validation();
  train(setup);
  std::vector<std::string> best;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "checkpoints"))
    if (entry.path().filename().string().starts_with("best-")) best.push_back(entry.path());
  ASSERT_EQ(best.size(), 3U);
  std::ranges::sort(best, std::greater{});  // the loss falls all the way: the last is the best
  const auto mean = average(best);
  for (const auto& [name, tensor] : read_weights(folder / "model.safetensors"))
    EXPECT_TRUE(at::allclose(tensor, mean.at(name), 0, 1e-7)) << name;
}

TEST_F(Trainer, TheAverageOfWeightsIsWhatIsValidatedAndSaved) {
  auto config = quick(10);
  config.ema = 0.9;
  auto setup = setup_of(folder.path(), config);
  train(setup);
  const auto raw = load_checkpoint(folder / "checkpoints/update-00000010.heed");
  const auto saved = read_weights(folder / "model.safetensors");
  for (const auto& [name, tensor] : saved) {
    EXPECT_TRUE(at::equal(tensor, raw.ema.at(name))) << name;
    EXPECT_FALSE(at::equal(tensor, raw.model.at(name))) << name;
  }
}

std::string log_of(const TrainerSetup& setup) {
  log::set_level(log::Level::info);
  testing::internal::CaptureStderr();
  train(setup);
  log::set_quiet();
  return testing::internal::GetCapturedStderr();
}

TEST_F(Trainer, AWarmUpThatTheTrainingDoesNotOutlastIsSaid) {
  auto config = quick(12);
  config.schedule = ScheduleKind::cosine;
  config.warmup = 12;
  EXPECT_THAT(log_of(setup_of(folder / "short", config)),
              AllOf(HasSubstr("the training has 12 updates, and training.warmup has 12"),
                    HasSubstr("begin anew: --overwrite --set training.warmup=1")));
  config.warmup = 11;
  EXPECT_THAT(log_of(setup_of(folder / "enough", config)), Not(HasSubstr("training.warmup")));
  config.updates = 1000000;
  config.max_minutes = 0.2 / 60;
  config.warmup = 900000;
  EXPECT_THAT(log_of(setup_of(folder / "time", config)),
              HasSubstr("training.max_minutes: 0.2s are time for about "));
  config.schedule = ScheduleKind::constant;
  EXPECT_THAT(log_of(setup_of(folder / "slow", config)), HasSubstr("training.warmup has 900,000"));
  config.warmup = -1;
  EXPECT_THAT(log_of(setup_of(folder / "constant", config)), Not(HasSubstr("training.warmup")));
}

TEST_F(Trainer, ARateThatFollowsTheTimeIsSaid) {
  auto config = quick(1000000);
  config.max_minutes = 0.2 / 60;
  config.schedule = ScheduleKind::cosine;
  config.warmup = 2;
  const std::string said = "the learning rate follows the time: at this pace training.max_minutes";
  EXPECT_THAT(log_of(setup_of(folder / "time", config)), HasSubstr(said));
  config.schedule = ScheduleKind::inverse_sqrt;  // does not move with it
  EXPECT_THAT(log_of(setup_of(folder / "other", config)), Not(HasSubstr(said)));
  config = quick(12);
  config.schedule = ScheduleKind::cosine;
  config.max_minutes = 60;
  config.warmup = 2;
  EXPECT_THAT(log_of(setup_of(folder / "updates", config)), Not(HasSubstr(said)));
}

TEST_F(Trainer, ARunThatGoesOnLongerSaysWhatItsRateDoes) {
  auto config = quick(8);
  config.schedule = ScheduleKind::cosine;
  config.warmup = 2;
  config.learning_rate = 0.004;
  train(setup_of(folder.path(), config));
  auto longer = config;
  longer.updates = 14;
  TrainerSetup setup = setup_of(folder.path(), longer);
  setup.resume = true;
  setup.before = config;
  // Half of what follows the warm-up: (8 - 2) / (14 - 2).
  EXPECT_THAT(
      log_of(setup),
      HasSubstr("the learning rate of update 9 is 0.002; with the settings that the run had "
                "before it would be 0 (training.schedule: cosine; training.updates: 8 "
                "before, 14 now)"));
  setup = setup_of(folder.path(), config);
  setup.resume = true;
  setup.before = config;
  setup.config.updates = 16;
  setup.config.schedule = ScheduleKind::inverse_sqrt;  // moves by updates alone
  setup.before->schedule = ScheduleKind::inverse_sqrt;
  EXPECT_THAT(log_of(setup), Not(HasSubstr("the learning rate of update")));
}

TEST_F(Trainer, TimeEndsARun) {
  auto config = quick(1000000);
  config.max_minutes = 0.2 / 60;
  config.schedule = ScheduleKind::cosine;
  config.warmup = 2;
  const TrainResult result = train(setup_of(folder.path(), config));
  EXPECT_EQ(result.stopped, StopReason::minutes);
  EXPECT_GE(result.minutes, 0.2 / 60);
  EXPECT_LT(metrics(folder, "train").back().at("learning_rate").get<double>(), 0.003);
}

}  // namespace
}  // namespace heed::train
