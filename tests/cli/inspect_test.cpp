// heed inspect: the table's sums, the vocabulary, the scores, the settings.
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string inspected(const std::string& folder) {
  return product(run_heed({"inspect", folder}));
}

int64_t number(std::string text) {
  std::erase(text, ',');
  return std::stoll(text);
}

/// The table as a person adds it up: what is indented below a sum belongs to it.
struct Sums {
  int64_t total = -1, of_modules = 0;
  double shares = 0;
  std::map<std::string, int64_t> module;             // as the table says
  std::map<std::string, int64_t> of_parts;           // tensors and blocks below a module or block
  std::map<std::string, std::string> same_as, tied;  // block -> block, tensor -> tensor

  explicit Sums(const std::string& text) {
    const std::regex tensor(R"(( +)(\S+) +\[([\d, ]*)\] +([\d,]+))"),
        tie(R"(( +)(\S+) +\[[\d, ]*\] +tied to (\S+), counted there)"),
        sum(R"(( *)(\S+) +(?:as (\S+) +)?([\d,]+) +([\d.]+) %)");
    std::string above, block;
    for (const std::string& line : lines_of(text)) {
      std::smatch parts;
      if (std::regex_match(line, parts, tensor)) {
        int64_t volume = 1;
        for (const std::string& extent : split(parts[3].str(), ',')) volume *= std::stoll(extent);
        EXPECT_EQ(volume, number(parts[4])) << line;
        of_parts[parts[1].length() == 2 ? above : block] += volume;
      } else if (std::regex_match(line, parts, tie)) {
        tied[above + "." + parts[2].str()] = parts[3];
      } else if (std::regex_match(line, parts, sum) && parts[2] == "total") {
        total = number(parts[4]);
        EXPECT_EQ(parts[5], "100.0");
      } else if (std::regex_match(line, parts, sum)) {
        const int64_t count = number(parts[4]);
        module[parts[2]] = count;
        if (parts[1].length() == 0) {
          above = parts[2];
          of_modules += count;
          shares += std::stod(parts[5]);
        } else {
          block = parts[2];
          of_parts[above] += count;
          if (parts[3].matched) same_as[block] = parts[3];
        }
      }
    }
  }
};

TEST(Inspect, TheTableAddsUpToTheModelsParameters) {
  for (const char* run : {"rnn", "transformer"}) {
    SCOPED_TRACE(run);
    const std::string folder = Toy::get().folder / run;
    const Sums sums(inspected(folder));
    EXPECT_EQ(json::parse(read_file(folder + "/summary.json")).at("parameters"), sums.total);
    EXPECT_EQ(sums.of_modules, sums.total);
    EXPECT_NEAR(sums.shares, 100, 0.3);
    ASSERT_GE(sums.module.size(), 4u);
    for (const auto& [name, count] : sums.module) {
      const auto same = sums.same_as.find(name);
      const auto parts = sums.of_parts.find(same == sums.same_as.end() ? name : same->second);
      EXPECT_EQ(parts == sums.of_parts.end() ? 0 : parts->second, count) << name;
    }
  }
}

TEST(Inspect, EqualBlocksAreListedOnceAndTiedTensorsCountedOnce) {
  const Sums sums(inspected(Toy::get().transformer));  // tie: all
  EXPECT_EQ(sums.same_as.at("encoder.1"), "encoder.0");
  EXPECT_EQ(sums.same_as.at("decoder.1"), "decoder.0");
  EXPECT_EQ(sums.tied, (std::map<std::string, std::string>{{"output.weight", "embedding.weight"}}));
  EXPECT_EQ(sums.module.at("embedding"), 32 * 32);
  EXPECT_EQ(sums.module.at("output"), 32);  // its bias
  EXPECT_THAT(Sums(inspected(Toy::get().rnn)).tied, testing::IsEmpty());
}

TEST(Inspect, TellsOfTheVocabulary) {
  EXPECT_THAT(inspected(Toy::get().rnn),
              testing::AllOf(HasSubstr("joint 32 pieces (fingerprint "),
                             HasSubstr("<pad> 0, <unk> 1, <s> 2, </s> 3; then ")));
}

TEST(Inspect, TellsHowTrainingWentAndWhatItLeft) {
  const std::string folder = Toy::get().rnn;
  double lowest = INFINITY;
  for (const std::string& line : lines_of(read_file(folder + "/metrics.jsonl"))) {
    const json event = json::parse(line);
    if (event.at("event") == "validation")
      lowest = std::min(lowest, event.at("loss").get<double>());
  }
  const std::string text = inspected(folder);
  EXPECT_THAT(text, HasSubstr("300 updates in "));
  EXPECT_THAT(text, HasSubstr("best validation: loss " + fixed(lowest, 4) + ", perplexity "));
  for (const char* score : {"\n             test BLEU ", "\n             test chrF2 "})
    EXPECT_THAT(text, HasSubstr(score));
  for (const auto& entry : fs::directory_iterator(folder + "/checkpoints"))
    EXPECT_THAT(text, HasSubstr(entry.path().filename().string() + ", "));
}

TEST(Inspect, NamesTheSettingsThatAreNotTheDefaults) {
  const std::string text = inspected(Toy::get().rnn);
  for (const char* setting : {"model.type: rnn\n", "model.hidden_size: 48\n", "seed: 7\n",
                              "training.validate_every: 100\n", "data.train.0.source: "})
    EXPECT_THAT(text, HasSubstr(setting));
  for (const char* setting : {"model.attention:", "model.cell:", "data.train.0.weight:"})
    EXPECT_THAT(text, Not(HasSubstr(setting)));
}

TEST(Inspect, ARunThatIsNotFinishedAndAFolderWithoutARecordSaySo) {
  const TemporaryFolder folder;
  fs::copy(Toy::get().rnn, folder / "run");
  fs::remove(folder / "run/summary.json");
  folder.write("run/metrics.jsonl", R"({"event":"train","update":7,"loss":2.5})"
                                    "\n[1]\n"
                                    R"({"event":"validation","upda)");
  const std::string unfinished = inspected(folder / "run");
  EXPECT_THAT(unfinished, HasSubstr("not finished: 7 updates so far\n"));
  EXPECT_THAT(unfinished, Not(HasSubstr("best validation")));
  EXPECT_THAT(unfinished, HasSubstr("checkpoints  none in this folder\n"));
  fs::remove(folder / "run/metrics.jsonl");
  EXPECT_THAT(inspected(folder / "run"), HasSubstr("training     no record in this folder\n"));
}

TEST(Inspect, PrintsTheConfigOfTheRun) {
  EXPECT_EQ(product(run_heed({"inspect", Toy::get().rnn, "--config"})),
            read_file(Toy::get().rnn + "/config.yaml"));
}

}  // namespace
}  // namespace heed::cli
