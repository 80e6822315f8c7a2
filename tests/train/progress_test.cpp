// All that a run carries besides tensors comes back from its text, number by number: what is left
// out would begin anew when the run goes on.
#include "train/progress.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace heed::train {
namespace {

const std::vector<int64_t Progress::*> kCounts = {
    &Progress::update,    &Progress::epoch,      &Progress::tokens,  &Progress::validated,
    &Progress::stale,     &Progress::reductions, &Progress::skipped, &Progress::skipped_in_a_row,
    &Progress::rollbacks, &Progress::scale_age};
const std::vector<double Progress::*> kNumbers = {&Progress::seconds, &Progress::update_seconds,
                                                  &Progress::rate_factor, &Progress::loss_scale,
                                                  &Progress::warmup_seconds};
const std::vector<int64_t LogInterval::*> kIntervalCounts = {
    &LogInterval::tokens, &LogInterval::real, &LogInterval::padded, &LogInterval::updates,
    &LogInterval::skipped};
const std::vector<double LogInterval::*> kIntervalNumbers = {
    &LogInterval::loss, &LogInterval::nll,     &LogInterval::rate,
    &LogInterval::norm, &LogInterval::seconds, &LogInterval::waited};

TEST(Progress, EveryNumberComesBack) {
  Progress before;
  int64_t next = 3;  // each has another one
  const auto fill = [&](auto& owner, const auto& fields) {
    for (const auto field : fields) owner.*field = next++;
  };
  fill(before, kCounts);
  fill(before, kNumbers);
  fill(before.interval, kIntervalCounts);
  fill(before.interval, kIntervalNumbers);
  before.interval.terms = {{"align", 0.5}, {"cover", 1.5}};
  before.position = {.epoch = 1, .pool = 2, .batch = 5, .order = 7};
  before.lowest_loss = 0.25;
  before.highest_bleu = 31.5;
  before.regular_best = 29.5;
  before.regular_loss = 1.25;
  const Progress after = Progress::from_json(before.to_json(), "here");
  const auto expect_same = [](const auto& was, const auto& is, const auto& fields) {
    for (std::size_t i = 0; i < fields.size(); ++i)
      EXPECT_EQ(is.*(fields[i]), was.*(fields[i])) << "field " << i;
  };
  expect_same(before, after, kCounts);
  expect_same(before, after, kNumbers);
  expect_same(before.interval, after.interval, kIntervalCounts);
  expect_same(before.interval, after.interval, kIntervalNumbers);
  EXPECT_EQ(after.interval.terms, before.interval.terms);
  EXPECT_EQ(after.position, before.position);
  EXPECT_EQ(after.lowest_loss, 0.25);
  EXPECT_EQ(after.highest_bleu, 31.5);
  EXPECT_EQ(after.regular_best, 29.5);
  EXPECT_EQ(after.regular_loss, 1.25);
  // The other fields are position, lowest_loss, highest_bleu, regular_best, regular_loss and best.
  // A new field belongs into the lists above.
  EXPECT_EQ(nlohmann::json::parse(before.to_json()).size(),
            kCounts.size() + kNumbers.size() + kIntervalCounts.size() + kIntervalNumbers.size() +
                before.interval.terms.size() + 6);
}

TEST(Progress, TheBestOnesComeBackInTheirOrder) {
  Progress before;
  before.best = {{.update = 8, .score = 31.5, .loss = 0.5, .bleu = 30.0, .file = "best-8"},
                 {.update = 3, .score = 7, .loss = std::nullopt, .bleu = 29.0, .file = "best-3"},
                 {.update = 5, .score = 6, .loss = 0.75, .bleu = std::nullopt, .file = ""}};
  const Progress after = Progress::from_json(before.to_json(), "here");
  ASSERT_EQ(after.best.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(after.best[i].update, before.best[i].update);
    EXPECT_EQ(after.best[i].score, before.best[i].score);
    EXPECT_EQ(after.best[i].loss, before.best[i].loss);
    EXPECT_EQ(after.best[i].bleu, before.best[i].bleu);
    EXPECT_EQ(after.best[i].file, before.best[i].file);
  }
}

}  // namespace
}  // namespace heed::train
