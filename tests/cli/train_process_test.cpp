// heed train's messages about its own command, and all that it takes another process to see. The
// rest of its folder and its configuration is tested in tests/run.
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// A finished run of four updates.
struct TrainProcess : ToyRunTest {
  std::string yaml = write_config();

  TrainProcess() { train_toy(yaml); }
};

TEST_F(TrainProcess, ResumeAndOverwriteTogetherDeleteNothing) {
  const std::string weights = file("model.safetensors");
  expect_mistake(run_heed({"train", yaml, "--resume", "--overwrite"}), {"--resume", "--overwrite"});
  EXPECT_TRUE(file("model.safetensors") == weights);
}

TEST_F(TrainProcess, TheSummarySaysWhatTheRunIsMadeByAndOf) {
  fs::remove_all(run);
  EXPECT_EQ(product(start_heed({"train", yaml})), "");  // the system knows its command
  const auto made = nlohmann::json::parse(file("summary.json")).at("provenance");
  EXPECT_EQ(made, nlohmann::json::parse(file("provenance.json")));
  EXPECT_EQ(made["command"], std::string(paths::kHeed) + " train " + yaml);
  EXPECT_EQ(made["precision"], "fp32");
  EXPECT_EQ(made["threads"], 1);
  EXPECT_EQ(made["device"], "cpu");
  EXPECT_THAT(made["vocabularies"], testing::SizeIs(1));
  for (const char* key : {"heed", "commit", "libtorch", "processor"})
    EXPECT_FALSE(made[key].get<std::string>().empty()) << key;
  ASSERT_THAT(made["corpora"], testing::SizeIs(4));
  for (const auto& corpus : made["corpora"]) {
    const std::string path = corpus["path"];
    EXPECT_EQ(corpus["bytes"], read_file(path).size());
    EXPECT_TRUE(subprocess::run({"sha256sum", path})
                    .out.starts_with(corpus["sha256"].get<std::string>() + " "));
  }
}

TEST_F(TrainProcess, ARunWhoseSuccessorCannotBeginInSeveralRanksIsBack) {
  const auto files = [&] {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(run))
      all[entry.path()] = entry.is_regular_file() ? read_file(entry.path()) : "";
    return all;
  };
  const auto before = files();
  const Result result =
      run_heed({"train", yaml, "--overwrite", "--set", "data.max_length=2", "--set",
                "data.long_sentences=error", "--ranks", "2", "--restarts", "1"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("more than the 2 that data.max_length allows"));
  EXPECT_THAT(result.err, HasSubstr("the older run is back"));
  EXPECT_TRUE(files() == before);
}

}  // namespace
}  // namespace heed::cli
