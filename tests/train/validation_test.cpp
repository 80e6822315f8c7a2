// Validations that fail, are interrupted or have no score: they cost themselves, never the run.
#include "train/validation.h"

#include <filesystem>
#include <stdexcept>

#include "base/error.h"
#include "train/checkpoint.h"
#include "train/trainer.h"
#include "trainer_support.h"

namespace heed::train {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Crash : std::runtime_error {
  Crash() : std::runtime_error("crash") {}
};

/// A run of 13 updates with validations at 5, 10 and the end, and no checkpoint of its own accord.
class Validating : public Trainer {
 protected:
  Validating() {
    config.validate_every = 5;
    config.keep_best = 2;
  }
  TrainerSetup setup(const TemporaryFolder& run, bool resume = false) {
    auto out = setup_of(run.path(), config, 0.3);
    out.validation = validation();
    out.scores = [this](model::Model&, int64_t) { return ++scored, bleu(20); };
    out.resume = resume;
    return out;
  }
  static toy::ToyModel& model_of(const TrainerSetup& setup) {
    return dynamic_cast<toy::ToyModel&>(*setup.model);
  }
  static Progress newest(const TemporaryFolder& run) {
    return CheckpointFolder(run.path()).latest()->checkpoint.progress;
  }
  void expect_same_runs() {
    expect_same_weights(folder / "model.safetensors", other / "model.safetensors");
    expect_same_weights(folder / "checkpoints/update-00000013.heed",
                        other / "checkpoints/update-00000013.heed");
    EXPECT_EQ(timeless_metrics(folder), timeless_metrics(other));
    EXPECT_EQ(newest(other).validated, 13);
  }
  TrainConfig config = quick(13);
  int scored = 0;
};

TEST_F(Validating, OneThatCrashesLosesNoUpdateAndIsRepeatedOnce) {
  train(setup(folder));
  scored = 0;
  for (const int64_t update : {5, 10, 13}) {
    auto crashing = setup(other, /*resume=*/true);
    crashing.scores = [&, tries = 0](model::Model&, int64_t) mutable {
      // The one that crashed before is repeated first.
      if (++tries > (update > 5 ? 1 : 0)) throw Crash();
      return ++scored, bleu(20);
    };
    EXPECT_THROW(train(crashing), Crash);
    EXPECT_EQ(newest(other).update, update);
  }
  const auto last = setup(other, /*resume=*/true);
  EXPECT_EQ(train(last).updates, 13);
  EXPECT_EQ(model_of(last).calls, 0);
  EXPECT_EQ(scored, 3);
  expect_same_runs();
}

TEST_F(Validating, ACrashBeforeTheNextCheckpointLeavesOneLineOfEach) {
  train(setup(folder));
  for (int polls = 4; polls < 24; polls += 3) {
    auto crashing = setup(other, /*resume=*/true);
    crashing.interrupted = [left = polls]() mutable {
      if (--left < 0) throw Crash();
      return false;
    };
    try {
      train(crashing);
    } catch (const Crash&) {
    }
  }
  train(setup(other, /*resume=*/true));
  expect_same_runs();
}

TEST_F(Validating, AnInterruptedOneIsRepeated) {
  train(setup(folder));
  scored = 0;
  auto stopped = setup(other);
  stopped.scores = [&](model::Model&, int64_t) {
    return ++scored, std::optional<ValidationScores>();
  };
  stopped.interrupted = [&] { return scored > 0; };
  EXPECT_EQ(train(stopped).stopped, StopReason::interrupted);
  EXPECT_EQ(newest(other).update, 5);
  scored = 0;
  EXPECT_EQ(train(setup(other, /*resume=*/true)).updates, 13);
  EXPECT_EQ(scored, 3);
  expect_same_runs();
}

std::optional<ValidationScores> fail(model::Model&, int64_t) {
  return ValidationScores{.problem = "the scorer is away"};
}

TEST_F(Validating, AScorerThatFailsCostsItsScoreAlone) {
  train(setup(folder));
  scored = 0;
  auto failing = setup(other);
  failing.scores = [&](model::Model& model, int64_t update) {
    return ++scored == 2 ? fail(model, update) : bleu(20);
  };
  const Logged logged;
  EXPECT_EQ(train(failing).updates, 13);
  EXPECT_THAT(logged.text(),
              HasSubstr("warning: this validation has no score: the scorer is away"));
  EXPECT_EQ(scored, 3);
  const auto lines = metrics(other, "validation");
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].at("bleu"), 20);
  EXPECT_TRUE(lines[1].at("bleu").is_null());
  EXPECT_EQ(lines[2].at("bleu"), 20);
  expect_same_weights(folder / "model.safetensors", other / "model.safetensors");
}

TEST_F(Validating, AScoreThatIsMissingIsNamedByItsSet) {
  auto failing = setup(folder);
  failing.further.push_back({"talks", failing.validation, fail});
  const Logged logged;
  EXPECT_EQ(train(failing).updates, 13);
  EXPECT_THAT(logged.text(),
              HasSubstr("warning: this validation of talks has no score: the scorer is away"));
  EXPECT_THAT(logged.text(), Not(HasSubstr("this validation has no score")));
}

TEST_F(Validating, AFailureThatIsNotTheScorersEndsTheRunAndResumingRepeatsIt) {
  train(setup(folder));
  auto failing = setup(other);
  failing.scores = [](model::Model&, int64_t) -> std::optional<ValidationScores> {
    throw Failure("the disk is full");
  };
  EXPECT_EQ(message_of<Failure>([&] { train(failing); }), "the disk is full");
  EXPECT_EQ(newest(other).update, 5);
  scored = 0;
  EXPECT_EQ(train(setup(other, /*resume=*/true)).updates, 13);
  EXPECT_EQ(scored, 3);
  expect_same_runs();
}

TEST_F(Validating, WhereBleuDecidesAScorerThatFailsEndsTheRunAndResumingAsksAgain) {
  config.early_stopping.metric = Metric::bleu;
  train(setup(folder));
  auto failing = setup(other);
  failing.scores = fail;
  EXPECT_EQ(
      message_of<Failure>([&] { train(failing); }),
      "this validation has no score: the scorer is away; training.early_stopping.metric: bleu "
      "needs it. Everything is saved, --resume repeats the validation");
  EXPECT_EQ(newest(other).update, 5);
  scored = 0;
  const auto last = setup(other, /*resume=*/true);
  EXPECT_EQ(train(last).updates, 13);
  EXPECT_EQ(scored, 3);
  expect_same_runs();
}

TEST_F(Validating, AScoreThatDoesNotDecideMayBeMissing) {
  config.early_stopping.metric = Metric::bleu;
  auto partly = setup(folder);
  partly.scores = [](model::Model&, int64_t) -> std::optional<ValidationScores> {
    return ValidationScores{.values = {{Metric::bleu, 20}}, .problem = "the command is away"};
  };
  const Logged logged;
  EXPECT_EQ(train(partly).updates, 13);
  EXPECT_THAT(logged.text(),
              HasSubstr("warning: this validation has no score: the command is away"));
  const auto lines = metrics(folder, "validation");
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].at("bleu"), 20);
}

TEST_F(Validating, AScorerThatTheSignalEndsIsNoFailure) {
  config.early_stopping.metric = Metric::bleu;
  bool signalled = false;
  auto stopped = setup(folder);
  stopped.scores = [&](model::Model& model, int64_t update) {
    return signalled = true, fail(model, update);
  };
  stopped.interrupted = [&] { return signalled; };
  const Logged logged;
  EXPECT_EQ(train(stopped).stopped, StopReason::interrupted);
  EXPECT_THAT(logged.text(), Not(HasSubstr("warning")));
}

TEST_F(Validating, ALossThatIsNotFiniteIsNamedAndNeverTheBest) {
  for (const auto metric : {Metric::loss, Metric::bleu}) {
    config.early_stopping.metric = metric;
    const TemporaryFolder run;
    auto sick = setup(run);
    sick.interrupted = [&] {
      model_of(sick).sick = model_of(sick).calls == 5;
      return false;
    };
    scored = 0;
    const Logged logged;
    const TrainResult result = train(sick);
    EXPECT_EQ(scored, 2);  // what such weights would translate is not worth a score
    EXPECT_THAT(logged.text(), HasSubstr("validation at update 5 loss not finite in "));
    EXPECT_THAT(logged.text(), HasSubstr("warning: the validation loss at update 5 is not finite"));
    const auto lines = metrics(run, "validation");
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_TRUE(lines[0].at("loss").is_null());
    EXPECT_EQ(lines[0].at("best"), false);
    EXPECT_EQ(lines[0].at("stale"), 1);
    EXPECT_EQ(lines[1].at("best"), true);
    EXPECT_GE(result.best_update, 10);
    EXPECT_FALSE(std::filesystem::exists(run / "checkpoints/best-00000005.safetensors"));
  }
}

TEST_F(Validating, WithoutAnyFiniteLossThereIsNoModelAndTheRunSaysSo) {
  auto sick = setup(folder);
  model_of(sick).sick = true;
  EXPECT_THAT(message_of<Failure>([&] { train(sick); }),
              HasSubstr("training ended after 13 updates, and no validation had a finite loss"));
  EXPECT_EQ(newest(folder).update, 13);
  EXPECT_FALSE(std::filesystem::exists(folder / "model.safetensors"));
}

TEST_F(Validating, AFullDiskAtTheEndLosesNoUpdate) {
  train(setup(folder));
  auto full = setup(other);
  // A folder in the way of a file is as good as a full disk.
  std::filesystem::create_directories(other / "checkpoints/best-00000013.safetensors/x");
  EXPECT_THROW(train(full), Failure);
  EXPECT_EQ(newest(other).update, 13);
  std::filesystem::remove_all(other / "checkpoints/best-00000013.safetensors");
  const auto last = setup(other, /*resume=*/true);
  EXPECT_EQ(train(last).updates, 13);
  EXPECT_EQ(model_of(last).calls, 0);
  expect_same_runs();
}

}  // namespace
}  // namespace heed::train
