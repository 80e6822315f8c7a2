#include "train/checkpoint.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "message.h"
#include "temporary_folder.h"

namespace heed::train {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Checkpoint example() {
  Checkpoint out;
  out.model = {{"a.weight", at::arange(6, at::kFloat).view({2, 3})}, {"b", at::ones({5})}};
  out.optimizer = {{"exp_avg/a.weight", at::full({2, 3}, 0.25)},
                   {"step/a.weight", at::full({}, 7)}};
  out.ema = {{"a.weight", at::zeros({2, 3})}, {"b", at::full({5}, 3.0)}};
  Progress& progress = out.progress;
  progress.update = 1200;
  progress.position = {.epoch = 3, .pool = 1, .batch = 17, .order = 0xFEDCBA9876543210};
  progress.seconds = 1.0 / 3;
  progress.lowest_loss = 0.1;
  progress.best = {{1200, 0.1, 0.1, 31.25, "best-00001200.safetensors"},
                   {800, 0.3, 0.3, std::nullopt, "best-00000800.safetensors"}};
  progress.interval = {.loss = 1e-17, .nll = 12345.678901234567, .tokens = 99};
  progress.rate_factor = 0.5;
  out.metadata = {{kConfiguration, "seed: 7\n"}, {"joint.spm", "0badcafe"}};
  return out;
}

TEST(Checkpoint, ComesBackAsItWas) {
  const TemporaryFolder folder;
  save_checkpoint(example(), folder / "x.heed");
  const Checkpoint back = load_checkpoint(folder / "x.heed");
  const Checkpoint before = example();
  const auto expect_same = [](const NamedTensors& a, const NamedTensors& b) {
    ASSERT_EQ(a.size(), b.size());
    for (const auto& [name, tensor] : a) EXPECT_TRUE(at::equal(tensor, b.at(name))) << name;
  };
  expect_same(before.model, back.model);
  expect_same(before.optimizer, back.optimizer);
  expect_same(before.ema, back.ema);
  EXPECT_EQ(back.progress.to_json(), before.progress.to_json());
  EXPECT_EQ(back.progress.position, before.progress.position);
  EXPECT_EQ(back.progress.interval.nll, 12345.678901234567);
  EXPECT_EQ(back.progress.best[1].bleu, std::nullopt);
  EXPECT_EQ(back.metadata, before.metadata);
}

// A network's file system may be unreadable for a moment.
TEST(Checkpoint, AFolderThatCannotBeReadIsNotAnEmptyOne) {
  const TemporaryFolder folder;
  const CheckpointFolder checkpoints(folder.path());
  EXPECT_TRUE(checkpoints.updates().empty());
  std::filesystem::create_symlink("checkpoints", folder / "checkpoints");
  for (const auto& look : std::vector<std::function<void()>>{[&] { checkpoints.updates(); },
                                                             [&] { checkpoints.latest(); },
                                                             [&] { checkpoints.prune(1, 0); }})
    EXPECT_THAT(message_of<Failure>(look),
                ::testing::StartsWith(folder / "checkpoints" + ": cannot be read: "));
}

TEST(Checkpoint, AFileOfWeightsIsNotOne) {
  const TemporaryFolder folder;
  model::save_tensors({{{"a", at::ones({3})}}, {}}, folder / "m.safetensors");
  EXPECT_EQ(message_of<UserError>([&] { load_checkpoint(folder / "m.safetensors"); }),
            folder / "m.safetensors" + ": holds no training state, only weights");
}

class Folder : public ::testing::Test {
 protected:
  Folder() : checkpoints(run.path()) { make_folder(run / "checkpoints"); }
  void save(int64_t update, const std::vector<int64_t>& best = {}, int64_t skipped = 0) {
    Checkpoint checkpoint = example();
    checkpoint.progress.update = update;
    checkpoint.progress.skipped_in_a_row = skipped;
    checkpoint.progress.best.clear();
    for (const int64_t one : best)
      checkpoint.progress.best.push_back({one, 1.0, {}, {}, checkpoints.best_name(one)});
    save_checkpoint(checkpoint, checkpoints.update_path(update));
  }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(run / "checkpoints"))
      out.push_back(entry.path().filename());
    std::ranges::sort(out);
    return out;
  }
  void flip_a_bit(const std::string& path) {
    std::string bytes = read_file(path);
    bytes[bytes.size() - 3] ^= 4;
    write_atomic(path, bytes);
  }
  TemporaryFolder run;
  CheckpointFolder checkpoints;
};

TEST_F(Folder, TheNewestMetadataAreThoseOfAWholeCheckpoint) {
  EXPECT_FALSE(checkpoints.newest_metadata());
  save(20);
  save(100);
  EXPECT_EQ(checkpoints.newest_metadata()->path, checkpoints.update_path(100));
  flip_a_bit(checkpoints.update_path(100));
  EXPECT_EQ(checkpoints.newest_metadata()->path, checkpoints.update_path(20));
  EXPECT_EQ(checkpoints.newest_metadata()->metadata, example().metadata);
  flip_a_bit(checkpoints.update_path(20));
  EXPECT_FALSE(checkpoints.newest_metadata());
}

TEST_F(Folder, NamesSortByUpdate) {
  EXPECT_EQ(checkpoints.update_path(1200), run / "checkpoints/update-00001200.heed");
  EXPECT_EQ(checkpoints.best_name(1200), "best-00001200.safetensors");
  save(20);
  save(100);
  save(3);
  EXPECT_THAT(checkpoints.updates(),
              ElementsAre(checkpoints.update_path(3), checkpoints.update_path(20),
                          checkpoints.update_path(100)));
}

TEST_F(Folder, TheNewestWholeOneIsFound) {
  EXPECT_FALSE(checkpoints.latest().has_value());
  save(10);
  save(20);
  save(30);
  EXPECT_EQ(checkpoints.latest()->checkpoint.progress.update, 30);
  flip_a_bit(checkpoints.update_path(30));
  EXPECT_EQ(checkpoints.latest()->path, checkpoints.update_path(20));
  write_atomic(checkpoints.update_path(20), read_file(checkpoints.update_path(10)).substr(0, 99));
  EXPECT_EQ(checkpoints.latest()->checkpoint.progress.update, 10);
}

TEST_F(Folder, WhereNoneIsWholeItIsAnErrorWithACure) {
  save(10);
  flip_a_bit(checkpoints.update_path(10));
  EXPECT_EQ(message_of<UserError>([&] { checkpoints.latest(); }),
            run /
                "checkpoints: none of its 1 checkpoints is whole; remove the folder to train "
                "from the start");
}

TEST_F(Folder, PruningKeepsTheNewestAndTheBest) {
  save(10, {10});
  for (const int64_t update : {20, 30, 40}) save(update, {20});
  for (const char* name : {"best-00000010.safetensors", "best-00000020.safetensors", "notes.txt"})
    run.write(std::string("checkpoints/") + name, "x");
  checkpoints.prune(2, 30);
  EXPECT_THAT(names(), ElementsAre("best-00000020.safetensors", "notes.txt", "update-00000020.heed",
                                   "update-00000030.heed"));
}

// A checkpoint that was written between updates that were skipped may have the weights that are the
// cause.
TEST_F(Folder, OneBetweenSkippedUpdatesIsNoneToGoBackTo) {
  save(10);
  save(20);
  save(30, {}, 1);
  save(40, {}, 4);
  EXPECT_EQ(checkpoints.latest()->checkpoint.progress.update, 40);
  EXPECT_EQ(checkpoints.latest(/*healthy=*/true)->checkpoint.progress.update, 20);
  checkpoints.prune(1, 40);
  EXPECT_THAT(names(), ElementsAre("update-00000020.heed", "update-00000040.heed"));
  std::filesystem::remove(checkpoints.update_path(20));
  EXPECT_EQ(checkpoints.latest(/*healthy=*/true)->checkpoint.progress.update,
            40);  // better than none
}

TEST_F(Folder, PruningKeepsTheBestOnesOfEveryCheckpointThatStays) {
  save(10, {10});
  save(20, {20, 10});
  save(30, {30, 20});
  save(40, {40, 30});
  for (const int64_t update : {5, 10, 20, 30, 40})
    run.write("checkpoints/" + checkpoints.best_name(update), "x");
  flip_a_bit(checkpoints.update_path(40));  // its header is whole, and so are the names in it
  run.write("checkpoints/update-00000030.heed", "damaged");
  checkpoints.prune(3, 40);
  EXPECT_THAT(names(),
              ElementsAre("best-00000010.safetensors", "best-00000020.safetensors",
                          "best-00000030.safetensors", "best-00000040.safetensors",
                          "update-00000020.heed", "update-00000030.heed", "update-00000040.heed"));
}

TEST_F(Folder, WeightsOfACheckpointAreThoseItValidates) {
  save(10);
  const NamedTensors weights = read_weights(checkpoints.update_path(10));
  EXPECT_EQ(weights.size(), 2U);
  EXPECT_TRUE(at::equal(weights.at("b"), at::full({5}, 3.0)));
}

TEST_F(Folder, AveragesAreMeans) {
  model::save_tensors({{{"w", at::tensor({1.F, 2.F, 6.F})}}, {}}, run / "1");
  model::save_tensors({{{"w", at::tensor({3.F, 2.F, 0.F})}}, {}}, run / "2");
  model::save_tensors({{{"w", at::tensor({5.F, 5.F, 0.F})}}, {}}, run / "3");
  EXPECT_TRUE(
      at::equal(average({run / "1", run / "2", run / "3"}).at("w"), at::tensor({3.F, 3.F, 2.F})));
  EXPECT_TRUE(at::equal(average({run / "2"}).at("w"), at::tensor({3.F, 2.F, 0.F})));
  model::save_tensors({{{"v", at::ones({3})}}, {}}, run / "4");
  EXPECT_THAT(message_of<UserError>([&] {
                average({run / "1", run / "4"});
              }),
              HasSubstr(run / "4" + ": its weights are of another model than those of"));
  EXPECT_THROW(average({}), UserError);
}

}  // namespace
}  // namespace heed::train
