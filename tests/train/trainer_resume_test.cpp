// Runs that are interrupted, killed or damaged, and go on.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "base/error.h"
#include "model/description/safetensors_file.h"
#include "model/model.h"
#include "train/checkpoint.h"
#include "train/trainer.h"
#include "trainer_support.h"

namespace heed::train {
namespace {

class Resuming : public Trainer {};

TrainConfig rich(int64_t updates) {
  auto config = quick(updates);
  config.schedule = ScheduleKind::inverse_sqrt;
  config.warmup = 6;
  config.ema = 0.9;
  config.validate_every = 7;
  config.save_every = 4;
  config.keep_best = 2;
  config.accumulate = 2;
  return config;
}

TEST_F(Resuming, AnInterruptedRunEndsWithTheSameBits) {
  auto whole = setup_of(folder.path(), rich(20), 0.3);
  whole.validation = validation();
  const TrainResult straight = train(whole);

  TrainResult pieces;
  int64_t runs = 0;
  for (pieces.stopped = StopReason::interrupted; pieces.stopped == StopReason::interrupted;) {
    auto part = setup_of(other.path(), rich(20), 0.3);
    part.validation = validation();
    part.resume = ++runs > 1;
    int64_t polls = 0;
    part.interrupted = [&] { return runs <= 4 && ++polls > 3 * runs; };
    pieces = train(part);
  }
  EXPECT_GT(runs, 2);
  EXPECT_EQ(pieces.updates, 20);
  EXPECT_EQ(pieces.best_loss, straight.best_loss);
  EXPECT_EQ(pieces.best_update, straight.best_update);
  expect_same_weights(folder / "model.safetensors", other / "model.safetensors");
  expect_same_weights(folder / "checkpoints/update-00000020.heed",
                      other / "checkpoints/update-00000020.heed");
  for (const char* event : {"train", "validation"}) {
    const auto a = metrics(folder, event), b = metrics(other, event);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
      for (const char* key : {"update", "loss", "perplexity", "epoch"})
        EXPECT_EQ(a[i].at(key), b[i].at(key)) << event << " " << i;
  }
}

TEST_F(Resuming, AKilledRunEndsWithTheSameBits) {
  auto whole = setup_of(folder.path(), rich(20), 0.3);
  whole.validation = validation();
  train(whole);
  // Killed at several moments: in an update, while validating, while saving.
  for (const int64_t moment : {2, 9, 15, 27, 33}) {
    const pid_t process = ::fork();
    if (process == 0) {
      auto part = setup_of(other.path(), rich(20), 0.3);
      part.validation = validation();
      part.resume = true;
      int64_t polls = 0;
      part.interrupted = [&] {
        if (++polls == moment) ::kill(::getpid(), SIGKILL);
        return false;
      };
      train(part);
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(process, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
  }
  auto last = setup_of(other.path(), rich(20), 0.3);
  last.validation = validation();
  last.resume = true;
  EXPECT_EQ(train(last).updates, 20);
  expect_same_weights(folder / "model.safetensors", other / "model.safetensors");
  expect_same_weights(folder / "checkpoints/update-00000020.heed",
                      other / "checkpoints/update-00000020.heed");
}

model::ModelConfig tiny(model::ModelType type) {
  model::ModelConfig config;
  config.type = type;
  config.width = 16;
  config.feed_forward = 24;
  config.heads = 2;
  config.encoder_layers = config.decoder_layers = 1;
  config.embedding_size = 10;
  config.hidden_size = 14;
  config.dropout = config.word_dropout = config.attention_dropout = 0.2;
  return config;
}

TEST_F(Resuming, RealModelsEndWithTheSameBitsToo) {
  for (const auto type : {model::ModelType::transformer, model::ModelType::rnn}) {
    const TemporaryFolder straight, interrupted;
    const auto run = [&](const std::string& path, bool resume, int64_t polls) {
      auto setup = setup_of(path, rich(10));
      at::manual_seed(1);
      setup.model = model::make_model(tiny(type), {.source = toy::kVocab, .target = toy::kVocab});
      setup.validation = validation();
      setup.resume = resume;
      setup.interrupted = [&] { return --polls < 0; };
      return train(setup).stopped;
    };
    run(straight.path(), false, 1000);
    EXPECT_EQ(run(interrupted.path(), false, 6), StopReason::interrupted);
    EXPECT_EQ(run(interrupted.path(), true, 1000), StopReason::updates);
    for (const char* file : {"model.safetensors", "checkpoints/update-00000010.heed"})
      expect_same_weights(straight / file, interrupted / file);
  }
}

TEST_F(Resuming, AnAverageThatAResumedRunTurnsOnBeginsWithTheWeights) {
  train(setup_of(folder.path(), quick(4)));
  const auto before = load_checkpoint(folder / "checkpoints/update-00000004.heed");
  EXPECT_TRUE(before.ema.empty());
  auto config = quick(5);
  config.ema = 0.9;
  auto setup = setup_of(folder.path(), config);
  setup.resume = true;
  train(setup);
  const auto after = load_checkpoint(folder / "checkpoints/update-00000005.heed");
  ASSERT_EQ(after.ema.size(), before.model.size());
  for (const auto& [name, kept] : after.ema) {  // d = min(0.9, (1 + 5) / (10 + 5)) = 0.4
    const at::Tensor &old = before.model.at(name), &now = after.model.at(name);
    EXPECT_FALSE(at::equal(old, now)) << name;
    EXPECT_TRUE(at::allclose(kept, old + 0.6 * (now - old), 1e-5, 1e-6)) << name;
  }
}

TEST_F(Resuming, AnotherNumberOfThreadsGoesOnWithTheSameBits) {
  const int before = at::get_num_threads();
  for (const auto type : {model::ModelType::transformer, model::ModelType::rnn}) {
    const TemporaryFolder straight, interrupted;
    const auto run = [&](const std::string& path, int threads, bool resume, int64_t polls) {
      at::set_num_threads(threads);
      auto config = rich(10);
      config.micro_batches = 4;
      auto setup = setup_of(path, config);
      setup.another = [&] {
        return model::make_model(tiny(type), {.source = toy::kVocab, .target = toy::kVocab});
      };
      at::manual_seed(1);
      setup.model = setup.another();
      setup.validation = validation();
      setup.resume = resume;
      setup.interrupted = [&] { return --polls < 0; };
      return train(setup).stopped;
    };
    run(straight.path(), 1, false, 1000000);
    EXPECT_EQ(run(interrupted.path(), 2, false, 6), StopReason::interrupted);
    EXPECT_EQ(run(interrupted.path(), 3, true, 1000000), StopReason::updates);
    for (const char* file : {"model.safetensors", "checkpoints/update-00000010.heed"})
      expect_same_weights(straight / file, interrupted / file);
    EXPECT_EQ(timeless_metrics(straight), timeless_metrics(interrupted));
  }
  at::set_num_threads(before);
}

TEST_F(Resuming, ResumingACompleteRunDoesNothingAndMoreUpdatesGoOn) {
  train(setup_of(folder.path(), quick(10)));
  auto again = setup_of(folder.path(), quick(10));
  again.resume = true;
  const TrainResult idle = train(again);
  EXPECT_EQ(idle.stopped, StopReason::nothing_to_do);
  EXPECT_EQ(idle.updates, 10);
  auto more = setup_of(folder.path(), quick(14));
  more.resume = true;
  EXPECT_EQ(train(more).updates, 14);
  train(setup_of(other.path(), quick(14)));
  expect_same_weights(folder / "model.safetensors", other / "model.safetensors");
}

TEST_F(Resuming, TheNewestCheckpointHasTheConfigurationThatTheRunGoesOnWith) {
  auto setup = setup_of(folder.path(), quick(4));
  setup.validation = validation();
  setup.metadata = {{"joint.spm", "0badcafe"}};
  setup.configuration = "beam: 5\n";
  train(setup);
  const auto metadata = [&](const std::string& file) {
    return model::load_metadata(folder / file);
  };
  for (const char* file : {"model.safetensors", "checkpoints/best-00000004.safetensors",
                           "checkpoints/update-00000004.heed"})
    EXPECT_EQ(metadata(file)["joint.spm"], "0badcafe") << file;
  EXPECT_EQ(metadata("checkpoints/update-00000004.heed")[kConfiguration], "beam: 5\n");
  EXPECT_FALSE(metadata("model.safetensors").contains(kConfiguration));
  setup = setup_of(folder.path(), quick(4));
  setup.validation = validation();
  setup.configuration = "beam: 3\n";
  setup.resume = true;
  EXPECT_EQ(train(setup).stopped, StopReason::nothing_to_do);
  EXPECT_EQ(metadata("checkpoints/update-00000004.heed")[kConfiguration], "beam: 3\n");
}

TEST_F(Resuming, AFolderWithARunIsNotOverwritten) {
  train(setup_of(folder.path(), quick(2)));
  EXPECT_THAT(message_of<UserError>([&] { train(setup_of(folder.path(), quick(2))); }),
              HasSubstr("a run is there already; go on with --resume"));
}

TEST_F(Resuming, ACorruptNewestCheckpointFallsBackToTheOneBefore) {
  auto config = quick(8);
  config.save_every = 4;
  train(setup_of(folder.path(), config));
  train(setup_of(other.path(), config));
  const std::string newest = folder / "checkpoints/update-00000008.heed";
  write_atomic(newest, read_file(newest).substr(0, 300));
  auto again = setup_of(folder.path(), config);
  again.resume = true;
  EXPECT_EQ(train(again).updates, 8);
  expect_same_weights(folder / "model.safetensors", other / "model.safetensors");
}

TEST_F(Resuming, AnOldCheckpointFindsTheBestWeightsThatItNames) {
  auto config = quick(10);
  config.validate_every = config.save_every = 2;
  config.keep_last = 3;
  config.keep_best = 2;  // the loss falls all the way: the best two are the last two
  const auto run = [&](const TemporaryFolder& in, bool resume) {
    auto setup = setup_of(in.path(), config);
    setup.validation = validation();
    setup.resume = resume;
    return train(setup);
  };
  run(other, false);
  run(folder, false);
  std::filesystem::remove(folder / "checkpoints/update-00000008.heed");
  const std::string newest = folder / "checkpoints/update-00000010.heed";
  write_atomic(newest, read_file(newest).substr(0, 300));
  EXPECT_EQ(run(folder, true).updates, 10);
  expect_same_weights(folder / "model.safetensors", other / "model.safetensors");
}

}  // namespace
}  // namespace heed::train
