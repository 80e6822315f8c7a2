// fp16's loss scale, with a model that computes in fp32 all the same: its gradients overflow where
// a test wants it.
#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>

#include <limits>
#include <memory>
#include <tuple>

#include "train/setup.h"
#include "trainer_support.h"

namespace heed::train {
namespace {

/// Autocast is off for the lifetime of this object.
class FullPrecision {
 public:
  FullPrecision() : before_(at::autocast::is_autocast_enabled(at::kCPU)) {
    at::autocast::set_autocast_enabled(at::kCPU, false);
  }
  ~FullPrecision() { at::autocast::set_autocast_enabled(at::kCPU, before_); }
  FullPrecision(const FullPrecision&) = delete;
  FullPrecision& operator=(const FullPrecision&) = delete;

 private:
  bool before_;
};

class Overflowing : public toy::ToyModel {
 public:
  Tensor features(const model::Source& source, const model::TargetInput& input,
                  model::Trace* trace = nullptr) override {
    const FullPrecision full;
    Tensor out = ToyModel::features(source, input, trace);
    if (is_training() && from <= calls && calls < to)
      out.register_hook([](const Tensor& gradient) -> Tensor {
        return gradient * std::numeric_limits<double>::infinity();
      });
    return out;
  }
  Tensor logits(const Tensor& features) override {
    const FullPrecision full;
    return ToyModel::logits(features);
  }

  int64_t from = 0, to = 0;  // updates [from, to) whose loss is finite, and whose gradient is not
};

class LossScale : public Trainer {
 protected:
  TrainerSetup setup(int64_t updates) const {
    auto out = setup_of(folder.path(), quick(updates));
    out.model = std::make_shared<Overflowing>();
    out.precision = at::kHalf;
    return out;
  }
  std::string newest(int64_t update) const {
    return CheckpointFolder(folder.path()).update_path(update);
  }
};

// Eight in a row, where five losses that are not finite would take the run back.
TEST_F(LossScale, HalvesWithEachGradientThatOverflowsAndTheRunGoesOn) {
  const auto half = setup(12);
  auto& model = dynamic_cast<Overflowing&>(*half.model);
  model.from = 2;
  model.to = 10;
  EXPECT_EQ(train(half).updates, 12);
  const Checkpoint last = load_checkpoint(newest(12));
  EXPECT_EQ(last.progress.loss_scale, 256);  // 65536 / 2^8
  EXPECT_EQ(last.progress.scale_age, 3);
  EXPECT_EQ(last.progress.skipped, 8);
  EXPECT_EQ(last.progress.skipped_in_a_row, 0);
  EXPECT_TRUE(metrics(folder, "rollback").empty());
  for (const auto& [name, tensor] : last.model)
    EXPECT_TRUE(at::isfinite(tensor).all().item<bool>()) << name;
}

TEST_F(LossScale, DoublesAfterTwoThousandUpdates) {
  train(setup(3));
  Checkpoint checkpoint = load_checkpoint(newest(3));
  EXPECT_EQ(checkpoint.progress.loss_scale, 65536);
  EXPECT_EQ(checkpoint.progress.scale_age, 3);
  checkpoint.progress.scale_age = 1997;
  save_checkpoint(checkpoint, newest(3));
  for (const auto& [updates, scale, age] :
       {std::tuple(5, 65536, 1999), std::tuple(6, 131072, 0), std::tuple(7, 131072, 1)}) {
    auto more = setup(updates);
    more.resume = true;
    train(more);
    const Progress progress = load_checkpoint(newest(updates)).progress;
    EXPECT_EQ(progress.loss_scale, scale) << updates;
    EXPECT_EQ(progress.scale_age, age) << updates;
  }
}

TEST_F(LossScale, IsNotThereInOtherPrecisions) {
  auto full = setup(3);
  full.precision = at::kFloat;
  train(full);
  EXPECT_EQ(load_checkpoint(newest(3)).progress.loss_scale, 1);
}

}  // namespace
}  // namespace heed::train
