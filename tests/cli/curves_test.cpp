// heed curves: what runs measured while they learned.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/strings.h"
#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Curves, ShowLossAndBleuOfRuns) {
  const TemporaryFolder folder;
  const Toy& toy = Toy::get();
  const std::string out =
      product(run_heed({"curves", toy.rnn, toy.transformer + "/", "--output", folder / "out"}));
  EXPECT_THAT(out, AllOf(StartsWith("Learning curves (BLEU)\n"), HasSubstr("300 updates\n"),
                         HasSubstr("\na  rnn\n"), HasSubstr("\nLearning curves (loss per piece)\n"),
                         HasSubstr("  transformer, valid\n"), HasSubstr("\ntransformer ")));
  const std::string loss = read_file(folder / "out/loss.svg");
  for (const char* name :
       {"rnn, train<", "rnn, valid<", "transformer, train<", "transformer, valid<"})
    EXPECT_THAT(loss, HasSubstr(name));
  EXPECT_THAT(read_file(folder / "out/bleu.svg"),
              AllOf(HasSubstr(">rnn<"), Not(HasSubstr("transformer"))));
  // 6 lines of training and 3 validations of either run.
  const auto rows = split(read_file(folder / "out/curves.csv"), '\n');
  EXPECT_EQ(rows.front(), "run,set,update,minutes,loss,perplexity,bleu,chrf,command");
  const auto rows_of = [&](const std::string& set) {
    return std::ranges::count_if(rows, [&](const std::string& row) {
      return row.find("," + set + ",") != std::string::npos;
    });
  };
  EXPECT_EQ(rows_of("train"), 12);
  EXPECT_EQ(rows_of("valid"), 6);
}

TEST(Curves, StandAgainstMinutesWhereAskedTo) {
  const std::string out = product(run_heed({"curves", Toy::get().rnn, "--against", "minutes"}));
  EXPECT_THAT(out, AllOf(StartsWith("rnn (BLEU)\n"), HasSubstr(" minutes\n")));
}

TEST(Curves, OfAFolderThatIsNoRunAreRefused) {
  const TemporaryFolder folder;
  expect_mistake(run_heed({"curves", folder / "nowhere"}), {"metrics of a run", "nowhere"});
  folder.write("metrics.jsonl", "");
  expect_mistake(run_heed({"curves", folder / "."}), {"has not measured anything yet"});
}

TEST(Runs, AreListedWithTheirStateAndWhatDiffers) {
  const Toy& toy = Toy::get();
  const std::string out = product(run_heed({"runs", toy.folder.path()}));
  EXPECT_THAT(out, AllOf(HasSubstr("rnn"), HasSubstr("finished"), HasSubstr("300"),
                         HasSubstr("model.type=transformer")));
  const auto all = nlohmann::json::parse(product(run_heed({"runs", toy.folder.path(), "--json"})));
  ASSERT_GE(all.size(), 2U);
  EXPECT_EQ(all[0]["state"], "finished");
  EXPECT_EQ(all[0]["updates"], 300);
  EXPECT_TRUE(all[0]["validation_bleu"].is_number());
  const TemporaryFolder folder;
  EXPECT_EQ(product(run_heed({"runs", folder.path()})), "");
  expect_mistake(run_heed({"runs", folder / "nowhere"}), {"nowhere"});
}

}  // namespace
}  // namespace heed::cli
