#include "config/differences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/io.h"
#include "config/print.h"
#include "config/toy_config.h"

namespace heed::config {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A fixed section, a free one and one that leaves it to its keys, all of one type.
struct Rules {
  HEED_CONFIG(Rules);
  HEED_FIXED(ToyStopping, kept, {}, "Its key is free by itself.")
  HEED_FREE(ToyFiles, changed, {}, "Its keys are fixed by themselves.")
  HEED_FREE(std::vector<ToyFiles>, list, {}, "The same for each element.")
  HEED_SECTION(ToyStopping, own, "Its key speaks for itself.")
};

/// "model.heads: 8 -> 4 (fixed)" for each.
template <class C>
std::vector<std::string> told(const C& before, const C& after) {
  std::vector<std::string> out;
  for (const Difference& one : differences(before, after))
    out.push_back(differences_text({one}) +
                  (one.on_resume == OnResume::fixed ? " (fixed)" : " (free)"));
  return out;
}

ToyConfig toy(const std::string& yaml) {
  ToyConfig config;
  load_text(config, yaml, "x.yaml");
  return config;
}

TEST(Differences, OfEqualConfigsAreNone) {
  EXPECT_THAT(told(ToyConfig(), ToyConfig()), IsEmpty());
  const std::string yaml = "train:\n  - {source: a, weight: 0.7}\nends: [1, 2]\n";
  EXPECT_THAT(told(toy(yaml), toy(yaml)), IsEmpty());
}

TEST(Differences, NameTheKeyBothValuesAndTheRule) {
  EXPECT_THAT(told(toy(""), toy("name: other\n"
                                "quick: true\n"
                                "ends: [2]\n"
                                "words: ['a b']\n"
                                "model: {hidden_size: 64, dropout: 0.3, colour: red}\n"
                                "training: {early_stopping: {patience: 3}}\n")),
              ElementsAre("name: toy -> other (free)", "quick: false -> true (fixed)",
                          "ends: [3, 5] -> [2] (fixed)", "words: [] -> [\"a b\"] (fixed)",
                          "model.hidden_size: 512 -> 64 (fixed)",
                          "model.dropout: 0.1 -> 0.3 (fixed)", "model.colour: auto -> red (fixed)",
                          "training.early_stopping.patience: 10 -> 3 (free)"));
}

TEST(Differences, ElementsOfListsAreComparedByTheirPlace) {
  const auto both = toy("train:\n  - source: a\n  - {source: b, weight: 2}\n");
  EXPECT_THAT(told(both, toy("train:\n  - source: a\n  - {source: c, weight: 2}\n")),
              ElementsAre("train.1.source: b -> c (fixed)"));
  EXPECT_THAT(told(both, toy("train: {source: a}\n")),
              ElementsAre("train.1: {source: b, weight: 2.0} -> nothing (fixed)"));
  EXPECT_THAT(told(toy(""), toy("train: {source: a}\n")),
              ElementsAre("train.0: nothing -> {source: a, weight: 1.0} (fixed)"));
}

TEST(Differences, ChangedKeysAreLinesOfYaml) {
  Rules rules;
  rules.kept.patience = 3;
  rules.own.patience = 5;
  rules.changed.source = "x y";
  EXPECT_EQ(changed_lines(rules, {"kept", "changed.weight"}).text(),
            "changed: {source: \"x y\"}\nown: {patience: 5}\n");
  EXPECT_EQ(changed_lines(Rules()).text(), "");
}

TEST(Differences, NumbersAreComparedExactly) {
  EXPECT_THAT(told(toy("training: {learning_rate: 0.1}"),
                   toy("training: {learning_rate: 0.10000000000000002}")),
              ElementsAre("training.learning_rate: 0.1 -> 0.10000000000000002 (fixed)"));
}

TEST(Differences, ASectionSpeaksForItsKeysUnlessItLeavesItToThem) {
  Rules before, after;
  before.list.resize(1);
  after.list.resize(2);
  after.kept.patience = after.own.patience = 3;
  after.changed.source = after.list[0].source = "x";
  EXPECT_THAT(told(before, after),
              ElementsAre("kept.patience: 10 -> 3 (fixed)", "changed.source: \"\" -> x (free)",
                          "list.0.source: \"\" -> x (free)",
                          "list.1: nothing -> {source: \"\", weight: 1.0} (free)",
                          "own.patience: 10 -> 3 (free)"));
}

TEST(Differences, DocumentedRulesAreThoseThatAreApplied) {
  Rules rules;
  const SectionView all = view(rules);
  const auto rule = [&](const char* path) { return resume_text(*find_field(all, path)); };
  EXPECT_EQ(rule("kept.patience"), "fixed");
  EXPECT_EQ(rule("changed.weight"), "free");
  EXPECT_EQ(rule("list.weight"), "free");
  EXPECT_EQ(rule("own"), "");
  EXPECT_EQ(rule("own.patience"), "free");
}

}  // namespace
}  // namespace heed::config
