// heed runs: a table of runs, and what they measured while they learned.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/strings.h"
#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Curves, ShowLossAndBleuOfRuns) {
  const TemporaryFolder folder;
  const Toy& toy = Toy::get();
  const std::string out = product(
      run_heed({"runs", "--curves", toy.rnn, toy.transformer + "/", "--output", folder / "out"}));
  EXPECT_THAT(out, AllOf(StartsWith("Learning curves (BLEU)\n"), HasSubstr("300 updates\n"),
                         HasSubstr("\na  rnn\n"), HasSubstr("\nLearning curves (loss per piece)\n"),
                         HasSubstr("  transformer, valid\n")));
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
  const std::string out =
      product(run_heed({"runs", "--curves", Toy::get().rnn, "--against", "minutes"}));
  EXPECT_THAT(out, AllOf(StartsWith("rnn (BLEU)\n"), HasSubstr(" minutes\n")));
}

/// A run whose best validation is the second of three, by chrF or by a command.
void write_run(const TemporaryFolder& folder, const std::string& name, const std::string& metric) {
  folder.write(name + "/config.yaml",
               "name: " + name + "\ntraining: {early_stopping: {metric: " + metric + "}}\n");
  std::string metrics;
  for (const char* numbers : {R"("update": 10, "loss": 2.5, "chrf": 40.25, "command": 0.25)",
                              R"("update": 20, "loss": 2.25, "chrf": 55.21, "command": 0.8312)",
                              R"("update": 30, "loss": 2.0, "chrf": 50.5, "command": 0.75)"})
    metrics += R"({"event": "validation", "seconds": 60, "bleu": null, )" + std::string(numbers) +
               R"(, "best": )" + (metrics.find("0.8312") == std::string::npos ? "true" : "false") +
               "}\n";
  folder.write(name + "/metrics.jsonl", metrics);
}

TEST(Curves, AreOfTheRunsBelowAFolderThatIsNone) {
  const TemporaryFolder folder;
  write_run(folder, "all/a", "chrf");
  write_run(folder, "all/b/c", "loss");
  EXPECT_THAT(product(run_heed({"runs", "--curves", folder / "all"})), HasSubstr("\na  a\nb  c\n"));
  expect_mistake(run_heed({"runs", "--against", "minutes", folder / "all"}), {"--curves"});
  expect_mistake(run_heed({"runs", "--curves", "--json", folder / "all"}), {"--json"});
}

TEST(Curves, OfAFolderThatIsNoRunAreRefused) {
  const TemporaryFolder folder;
  expect_mistake(run_heed({"runs", "--curves", folder / "nowhere"}), {"nowhere"});
  expect_mistake(run_heed({"runs", "--curves", folder / "."}), {"metrics of a run", folder / "."});
  folder.write("metrics.jsonl", "");
  expect_mistake(run_heed({"runs", "--curves", folder / "."}), {"has not measured anything yet"});
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

TEST(Runs, AreListedOnceByWhateverPathsTheyAreFound) {
  const TemporaryFolder folder;
  write_run(folder, "a", "chrf");
  write_run(folder, "b", "chrf");
  for (const std::vector<std::string>& command : {std::vector<std::string>{"runs"}, {"watch"}}) {
    std::vector<std::string> words = command;
    words.insert(words.end(), {"--json", folder / "b", folder.path(), folder / "./b/"});
    const auto all = nlohmann::json::parse(product(run_heed(words)));
    EXPECT_EQ(command[0] == "runs" ? all.size() : all["runs"].size(), 2U) << command[0];
  }
}

TEST(Runs, AreComparedWithTheFirstOfTheirFolderWhateverLiesBetween) {
  const TemporaryFolder folder;
  write_run(folder, "a", "chrf");
  write_run(folder, "b/x", "chrf");
  write_run(folder, "b/y", "command");
  write_run(folder, "c", "command");
  const auto all = nlohmann::json::parse(product(run_heed({"runs", folder.path(), "--json"})));
  ASSERT_EQ(all.size(), 4U);
  const std::string command = "training.early_stopping.metric=command";
  EXPECT_EQ(all[0]["differs_in"], "");
  EXPECT_EQ(all[1]["differs_in"], "");
  EXPECT_EQ(all[2]["differs_in"], command);  // y from x
  EXPECT_EQ(all[3]["run"], folder / "c");
  EXPECT_EQ(all[3]["differs_in"], command);  // c from a
  const auto named =
      nlohmann::json::parse(product(run_heed({"runs", "--json", folder / "a/", folder / "./c"})));
  ASSERT_EQ(named.size(), 2U);
  EXPECT_EQ(named[1]["differs_in"], command);
}

TEST(Runs, OneThatCannotBeReadHidesNoOther) {
  const TemporaryFolder folder;
  write_run(folder, "a", "chrf");
  write_run(folder, "b", "chrf");
  std::filesystem::remove(folder / "b/metrics.jsonl");
  std::filesystem::create_symlink("/proc/self/mem", folder / "b/metrics.jsonl");  // not its start
  const Result result = run_heed({"runs", folder.path()});
  EXPECT_THAT(product(result), ContainsRegex("/a .* chrF 55.21"));
  EXPECT_THAT(result.err, AllOf(HasSubstr("warning: "), HasSubstr(folder / "b/metrics.jsonl")));
}

TEST(Runs, AreListedWithTheScoreThatDecides) {
  const TemporaryFolder folder;
  write_run(folder, "a", "chrf");
  write_run(folder, "b", "command");
  const std::string out = product(run_heed({"runs", folder.path()}));
  EXPECT_THAT(out, ContainsRegex("/a .* chrF 55.21 .* 2.2500 "));
  EXPECT_THAT(out, ContainsRegex("/b .* command 0.8312 "));
  const auto all = nlohmann::json::parse(product(run_heed({"runs", folder.path(), "--json"})));
  EXPECT_EQ(all[0]["metric"], "chrf");
  EXPECT_EQ(all[0]["validation_chrf"], 55.21);
  EXPECT_EQ(all[1]["metric"], "command");
  EXPECT_EQ(all[1]["validation_command"], 0.8312);
  EXPECT_TRUE(all[1]["validation_bleu"].is_null());
  const auto told =
      nlohmann::json::parse(product(run_heed({"watch", "--json", folder.path()})))["runs"];
  EXPECT_EQ(told[0]["metric"], "chrf");
  EXPECT_EQ(told[0]["best"]["chrf"], 55.21);
  EXPECT_EQ(told[1]["best"]["command"], 0.8312);
}

// Readers of older tables find the same columns where no run has a further metric.
TEST(Runs, HaveAPlaceForAFurtherMetricWhereOneHasIt) {
  const TemporaryFolder folder;
  write_run(folder, "a", "chrf");
  const auto columns_of = [&](const std::string& name) {
    product(run_heed({"runs", "--curves", folder.path(), "--output", folder / name}));
    return split(read_file(folder / (name + "/curves.csv")), '\n').front();
  };
  const auto keys_of = [](const nlohmann::ordered_json& object) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : object.items()) keys.push_back(key);
    return join(keys, " ");
  };
  const auto listed = [&] {
    return nlohmann::ordered_json::parse(product(run_heed({"runs", folder.path(), "--json"})));
  };
  const auto told = [&] {
    return nlohmann::ordered_json::parse(product(run_heed({"watch", "--json", folder.path()})))
        .at("runs");
  };
  EXPECT_EQ(columns_of("before"), "run,set,update,minutes,loss,perplexity,bleu,chrf,command");
  EXPECT_EQ(keys_of(listed()[0]),
            "run state updates minutes metric validation_loss validation_bleu validation_chrf "
            "validation_command test differs_in");
  EXPECT_EQ(keys_of(told()[0].at("best")), "update loss bleu chrf command");
  EXPECT_EQ(keys_of(told()[0].at("valid").at("")), "update seconds loss bleu chrf command");
  folder.write("b/config.yaml", "training: {early_stopping: {metric: ter}}\n");
  folder.write("b/metrics.jsonl",
               R"({"event": "validation", "update": 10, "seconds": 60, "loss": 2.5, "bleu": null, )"
               R"("ter": 60.125, "best": true})"
               "\n");
  EXPECT_EQ(columns_of("after"), "run,set,update,minutes,loss,perplexity,bleu,chrf,ter,command");
  EXPECT_THAT(read_file(folder / "after/curves.csv"),
              HasSubstr("b,valid,10,1.000,2.500000,,,,60.1250,\n"));
  EXPECT_THAT(read_file(folder / "after/ter.svg"), HasSubstr(">TER<"));
  EXPECT_FALSE(std::filesystem::exists(folder / "before/ter.svg"));
  EXPECT_THAT(product(run_heed({"runs", folder.path()})),
              ContainsRegex("/b .* TER 60.12 .* 2.5000"));
  const auto all = listed();
  EXPECT_TRUE(all[0].at("validation_ter").is_null());
  EXPECT_EQ(all[1].at("metric"), "ter");
  EXPECT_EQ(all[1].at("validation_ter"), 60.125);
  EXPECT_EQ(keys_of(told()[0].at("best")), "update loss bleu chrf command");
  EXPECT_EQ(keys_of(told()[1].at("best")), "update loss bleu chrf ter command");
  EXPECT_EQ(told()[1].at("valid").at("").at("ter"), nlohmann::ordered_json({60.125}));
}

}  // namespace
}  // namespace heed::cli
