#include "config/suggest.h"

#include <gtest/gtest.h>

namespace heed::config {
namespace {

const std::vector<std::string> kNames = {"luong_dot", "luong_general", "bahdanau", "none"};

TEST(Suggest, CaseAndSeparatorsDoNotCount) {
  EXPECT_EQ(nearest("Luong-Dot", kNames), "luong_dot");
  EXPECT_EQ(distance("hiddenSize", "hidden_size"), 0U);
}

TEST(Suggest, APartOfANameIsNear) {
  EXPECT_EQ(nearest("luong", kNames), "luong_dot");
  EXPECT_EQ(nearest("general", kNames), "luong_general");
  EXPECT_EQ(nearest("bahdanau_additive", kNames), "bahdanau");
}

TEST(Suggest, APartEndsWithAWord) {
  EXPECT_EQ(nearest("n_heads", {"attention_heads", "heads"}), "heads");
  EXPECT_EQ(nearest("attention-heads", {"heads", "layers"}), "heads");
  EXPECT_EQ(nearest("att", {"heads", "attention"}), "attention");
  EXPECT_EQ(nearest("ers", {"heads", "layers"}), "");
}

TEST(Suggest, AShortFormIsNear) {
  EXPECT_EQ(nearest("lr", {"layers", "learning_rate"}), "learning_rate");
  EXPECT_EQ(nearest("src", {"size", "source", "target"}), "source");
  EXPECT_EQ(nearest("Tgt", {"size", "source", "target"}), "target");
  EXPECT_EQ(nearest("trg", {"tag", "target"}), "target");
}

TEST(Suggest, ASlipOfTheFingerIsNear) {
  EXPECT_EQ(nearest("bahdanua", kNames), "bahdanau");
  EXPECT_EQ(nearest("nnoe", kNames), "none");
}

TEST(Suggest, ALikenessOfTheEndIsNone) {
  EXPECT_EQ(nearest("realign", {"align"}), "");
  EXPECT_EQ(nearest("thread", {"head"}), "");
  EXPECT_EQ(nearest("source", {"force"}), "");
  EXPECT_EQ(nearest("format", {"for"}), "");
  EXPECT_EQ(nearest("train_steps", {"train"}), "train");
  EXPECT_EQ(nearest("tranlsatte", {"translate"}), "translate");
}

TEST(Suggest, NamesOfOtherTrainersAreNoNamesOfHeed) {
  for (const auto& [name, path] : names_of_other_trainers()) {
    EXPECT_EQ(folded(name), name);
    EXPECT_NE(folded(path.substr(path.rfind('.') + 1)), name);
  }
}

TEST(Suggest, AStrangerIsNot) {
  EXPECT_EQ(nearest("transformer", kNames), "");
  EXPECT_EQ(nearest("", kNames), "");
  EXPECT_EQ(nearest("x", {}), "");
}

TEST(Suggest, WithoutANeighbourAllAreListed) {
  EXPECT_EQ(did_you_mean("qqq", kNames), "; allowed: luong_dot, luong_general, bahdanau, none");
  EXPECT_EQ(did_you_mean("noen", kNames), "; did you mean 'none'?");
}

}  // namespace
}  // namespace heed::config
