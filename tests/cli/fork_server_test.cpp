// heed as the fork server of these tests runs it (tests/fork_server) does what heed does as a user
// starts it: a whole path through the program, both ways.
#include <string>
#include <vector>

#include "cli/program.h"
#include "cli/toy.h"
#include "quick_scorer.h"

namespace heed::cli {
namespace {

using Run = Result (*)(const std::vector<std::string>&, std::string_view);

struct Made {
  std::string weights, translations, scores;
  bool operator==(const Made&) const = default;
};

/// Trains, translates and evaluates.
Made make(Run run, const TemporaryFolder& folder, const std::string& name) {
  const std::string config = write_toy_config(
      folder, {name, kTransformer, "updates: 4, validate_every: 4, save_every: 2", /*test=*/true});
  EXPECT_EQ(product(run({"-q", "train", config}, "")), "");
  const std::string model = folder / name;
  return {read_file(model + "/model.safetensors"),
          product(run({"-q", "translate", model}, "a b c\n\nef fe\n")),
          product(run({"-q", "evaluate", model}, ""))};
}

TEST(ForkServer, DoesWhatTheProgramDoes) {
  const QuickScorer scorer;
  const TemporaryFolder folder;
  write_toy_pairs(folder, "train", 100, 1);
  write_toy_pairs(folder, "valid", 10, 2);
  write_toy_pairs(folder, "test", 10, 3);
  const Made started = make(start_heed, folder, "started"),
             forked = make(run_heed, folder, "forked");
  EXPECT_FALSE(started.weights.empty());
  EXPECT_THAT(lines_of(started.translations), ::testing::SizeIs(3));
  EXPECT_THAT(started.scores, ::testing::HasSubstr("BLEU"));
  EXPECT_TRUE(forked == started) << forked.translations << forked.scores;
}

TEST(ForkServer, FailsAsTheProgramFails) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{}, {"--no-such-option"}, {"train", "/nowhere/no.yaml"}}) {
    const Result started = start_heed(arguments), forked = run_heed(arguments);
    EXPECT_NE(started.status, 0);
    EXPECT_EQ(forked.status, started.status);
    EXPECT_EQ(forked.out, started.out);
    EXPECT_EQ(forked.err, started.err);
  }
}

TEST(ForkServer, PassesOnFolderStreamsAndVariables) {
  const TemporaryFolder folder;
  folder.write("c.yaml", "seed: 3\n");
  const auto run = [&](const std::string& program, const std::string& redirection) {
    return subprocess::run({"sh", "-c",
                            "cd " + folder.path() + " && HEED_SACREBLEU=/nonexistent exec " +
                                program + " " + redirection});
  };
  for (const char* words : {"config c.yaml", "doctor", "config > /dev/full", "config >&-"}) {
    const Result started = run(paths::kHeed, words), forked = run(paths::kServed, words);
    EXPECT_EQ(forked.status, started.status) << words;
    EXPECT_EQ(forked.out.empty(), started.out.empty()) << words;
    EXPECT_EQ(forked.err, started.err) << words;
  }
}

}  // namespace
}  // namespace heed::cli
