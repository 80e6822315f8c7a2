// The last line of a training: how far it has come, and how it goes on.
#include <nlohmann/json.hpp>
#include <regex>

#include "run/in_process.h"

namespace heed::run {
namespace {

using namespace cli;
using ::testing::EndsWith;
using ::testing::HasSubstr;

struct EndingTest : ToyRunTest {
  std::string config(const std::string& training) const {
    return write_toy_config(folder, {"run", kNone, training});
  }
  int64_t updates() const {
    return nlohmann::json::parse(file("summary.json")).at("updates").get<int64_t>();
  }
};

TEST_F(EndingTest, OfAWholeTrainingTellsHowToTranslate) {
  const Result result = train(config("updates: 3, epochs: 100"));
  EXPECT_THAT(result.err, EndsWith("done: heed translate " + run + "\n"));
}

TEST_F(EndingTest, ByTimeTellsHowManyUpdatesAreMissingAndMakesThemAsItSays) {
  const std::string yaml =
      config("updates: 1000000, max_minutes: 0.01, validate_every: 1000000, save_every: 1000000");
  const Result result = train(yaml);
  const std::string last = lines_of(result.err).back();
  std::smatch found;
  ASSERT_TRUE(std::regex_search(
      last, found,
      std::regex("ended at training.max_minutes with ([0-9,]+) of 1,000,000 planned updates: train "
                 "on with `heed train (.+) --resume --set training.max_minutes=0` \\(about "
                 "[0-9:d ]+\\); heed translate (.+) uses what was learned$")))
      << result.err;
  const int64_t made = updates();
  const std::string number = with_commas(made);
  EXPECT_EQ(number, found[1]);
  EXPECT_EQ(found[2], run);
  EXPECT_EQ(found[3], run);
  const Result idle = train(run, {"--resume"});
  EXPECT_THAT(idle.err, HasSubstr("training had ended already after " + number + " updates"));
  const Result more = train(run, {"--resume", "--set", "training.max_minutes=0", "--set",
                                  "training.updates=" + std::to_string(made + 2)});
  EXPECT_THAT(more.err, HasSubstr("resuming at " + number + " of " + with_commas(made + 2)));
  EXPECT_THAT(more.err, EndsWith("done: heed translate " + run + "\n"));
  EXPECT_EQ(updates(), made + 2);
}

// Nothing has been learned: neither a validation nor its loss is to blame, and no model is left.
TEST_F(EndingTest, ByTimeBeforeTheFirstUpdateTellsHowToGoOn) {
  const std::string yaml = config("updates: 3, max_minutes: 1e-9");
  for (const bool resumed : {false, true}) {
    const Result result = resumed ? train(run, {"--resume"}) : train(yaml);
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.err, EndsWith("training.max_minutes: 0.0s were over before the first "
                                     "update, so there is no model yet; `heed train " +
                                     run +
                                     " --resume --set training.max_minutes=0` goes on without "
                                     "this limit\n"));
  }
  const Result more = train(run, {"--resume", "--set", "training.max_minutes=0"});
  EXPECT_THAT(more.err, EndsWith("done: heed translate " + run + "\n"));
  EXPECT_EQ(updates(), 3);
}

TEST_F(EndingTest, ByPatienceTellsHowManyUpdatesWereMade) {
  const std::string scores = folder.write("scores", "9\n8\n7\n");  // one for each validation
  const Result result = train(
      config("updates: 400, validate_every: 1, early_stopping: {metric: command, patience: 2}, "
             "validation_command: 'head -n 1 " +
             scores + "; sed -i 1d " + scores + "'"));
  EXPECT_THAT(
      result.err,
      EndsWith(
          "done with 3 of 400 planned updates, and validations got no better: heed translate " +
          run + "\n"));
}

/// The options of the command that a last line names in place of `heed train RUN`.
std::vector<std::string> options_in(const std::string& line) {
  std::smatch found;
  if (!std::regex_search(line, found, std::regex("`heed train \\S+ (--resume [^`]*)`"))) return {};
  return split(found[1].str(), ' ');
}

// Each command that a last line names makes more updates.
TEST_F(EndingTest, OfATrainingThatLearnedLittleNamesACommandThatTrainsOn) {
  const std::pair<const char*, std::string> cases[] = {
      {"updates: 2, validate_every: 1", "--resume --set training.updates=1000` (about "},
      {"updates: 3, epochs: 1, max_minutes: 90",
       "--resume --set training.epochs=2 --set training.max_minutes=0` (about "},
  };
  write_toy_pairs(folder, "train", 60, 1);  // with these batches an epoch is one update
  for (const auto& [training, advice] : cases) {
    const Result result =
        train(config(training), {"--overwrite", "--set", "training.validate_bleu=true", "--set",
                                 "training.batch_size=4000"});
    const std::string last = lines_of(result.err).back();
    EXPECT_THAT(last, HasSubstr("updates, BLEU "));
    EXPECT_THAT(last, HasSubstr(": train on with `heed train " + run + " " + advice));
    EXPECT_THAT(last, EndsWith("; heed translate " + run + " uses what was learned"));
    const int64_t before = updates();
    std::vector<std::string> options = options_in(last);
    ASSERT_FALSE(options.empty()) << last;
    options.insert(options.end(), {"--set", "training.validate_every=1000"});  // it is quick so
    const Result resumed = train(run, options);
    EXPECT_EQ(resumed.status, 0) << resumed.err;
    EXPECT_GT(updates(), before);
  }
}

}  // namespace
}  // namespace heed::run
