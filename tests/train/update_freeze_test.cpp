// Modules that training leaves as they are.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "model/kinds.h"
#include "model/model.h"
#include "model/weights.h"
#include "own_optimizer.h"
#include "train/update.h"
#include "trainer_support.h"

namespace heed::train {
namespace {

std::set<std::string> modules_of(const model::Model& model) {
  std::set<std::string> names;
  for (const auto& item : model.named_parameters())
    names.insert(item.key().substr(0, item.key().find('.')));
  return names;
}

// Two workers, so that the second one's weights are the first one's, frozen or not.
TEST(Freeze, LeavesEachModuleOfEveryKindOfModelAsItIs) {
  TrainConfig training;
  training.micro_batches = 2;
  for (const auto& [kind, config] : model::testing::every_kind())
    for (const std::string& frozen : modules_of(*model::testing::model_of(config, kPieces))) {
      SCOPED_TRACE(kind + ", " + frozen);
      const auto make = [&config = config, &frozen] {
        auto model = model::testing::model_of(config, kPieces);
        model::freeze(*model, {frozen});
        return model;
      };
      const model::ModelPtr model = make();
      OwnOptimizer own(training, *model);
      Updater updater(*model, training, at::kCPU, at::kFloat, own.optimizer, nullptr, make);
      std::map<std::string, Tensor> before;
      for (const auto& item : model->named_parameters()) before[item.key()] = item.value().clone();
      model->train();
      updater.run(parts_of({toy::batch_of(toy::copies(5, 3, /*most=*/3))}, training),
                  {.update = 1, .rate = 0.1, .seed = 3});
      bool others_changed = false;
      for (const auto& item : model->named_parameters()) {
        const bool same = at::equal(item.value(), before.at(item.key()));
        if (item.key().starts_with(frozen + "."))
          EXPECT_TRUE(same) << item.key();
        else
          others_changed |= !same;
      }
      EXPECT_TRUE(others_changed);
    }
}

TEST(Freeze, MayLeaveNothingButTheOutputsBias) {
  const std::string bias = "output.bias";
  TrainConfig training;
  for (const auto& [kind, config] : model::testing::every_kind()) {
    SCOPED_TRACE(kind);
    const model::ModelPtr model = model::testing::model_of(config, kPieces);
    std::vector<std::string> others;
    for (const auto& item : model->named_parameters())
      if (item.key() != bias) others.push_back(item.key());
    model::freeze(*model, others);
    const Tensor before = model->named_parameters()[bias].clone();
    OwnOptimizer own(training, *model);
    Updater updater(*model, training, at::kCPU, at::kFloat, own.optimizer, nullptr, {});
    model->train();
    updater.run(parts_of({toy::batch_of(toy::copies(5, 3, /*most=*/3))}, training),
                {.update = 1, .rate = 0.1, .seed = 3});
    EXPECT_FALSE(at::equal(model->named_parameters()[bias], before));
  }
}

TEST(Freeze, ATiedMatrixByEachOfItsNames) {
  for (const model::Tie tie : {model::Tie::decoder, model::Tie::all})
    for (const std::string name : {"output", "output.weight"}) {
      model::ModelConfig config = model::testing::every_kind().front().config;
      config.tie = tie;
      const auto model = model::testing::model_of(config, kPieces);
      model::freeze(*model, {name});
      const std::string owner =
          tie == model::Tie::all ? "embedding.weight" : "target_embedding.weight";
      EXPECT_FALSE(model->named_parameters()[owner].requires_grad()) << name;
      EXPECT_EQ(model->named_parameters()["output.bias"].requires_grad(), name != "output");
    }
}

TEST(Freeze, NamesWhatTheModelHas) {
  const auto model = model::testing::model_of(model::testing::every_kind().front().config, kPieces);
  EXPECT_THROW(model::freeze(*model, {"nothing"}), UserError);
  EXPECT_THROW(model::freeze(*model, {"encode"}), UserError);  // no part of a name
  const auto names = modules_of(*model);
  EXPECT_THROW(model::freeze(*model, {names.begin(), names.end()}), UserError);
}

}  // namespace
}  // namespace heed::train
