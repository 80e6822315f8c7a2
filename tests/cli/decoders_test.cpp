// Transformers whose decoder has no self-attention, as a user trains them and translates.
#include <regex>

#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class Decoders : public ToyRunTest, public testing::WithParamInterface<const char*> {
 protected:
  /// Trains, or goes on with, the run in `output`.
  void train_until(int updates, const std::string& output) const {
    train_toy(write_config(kTransformer,
                           "learning_rate: 0.01, validate_every: 10, save_every: 10, "
                           "schedule: constant"),
              {"--resume", "--set", std::string("model.decoder=") + GetParam(), "--set",
               "output=" + output, "--set", "training.updates=" + std::to_string(updates)});
  }
};

TEST_P(Decoders, GoOnWithTheBitsOfARunInOneGo) {
  const std::string parts = folder / "parts";
  train_until(20, run);
  train_until(10, parts);
  train_until(20, parts);
  EXPECT_TRUE(read_file(parts + "/model.safetensors") == file("model.safetensors"));
}

// The search's steps are the engine's, the scores are those of LibTorch's model.
TEST_P(Decoders, TranslateByTheEngineWithTheScoresOfTheModel) {
  train_until(60, run);  // then no translation is cut
  const std::string source = "a b c\nd ef\nj\n", twice = "a b c\na b c\nd ef\nd ef\nj\nj\n";
  const std::regex format(R"(\d+ \|\|\| (.*) \|\|\| logprob= (-?[\d.]+) .*)");
  const auto found = lines_of(product(run_heed({"translate", run, "--n-best", "2"}, source)));
  std::string hypotheses;
  std::vector<double> reported;
  for (const std::string& line : found) {
    std::smatch parts;
    ASSERT_TRUE(std::regex_match(line, parts, format)) << line;
    hypotheses += parts[1].str() + "\n";
    reported.push_back(std::stod(parts[2]));
  }
  const auto scores = lines_of(
      product(run_heed({"score", run, folder.write("s", twice), folder.write("t", hypotheses)})));
  ASSERT_THAT(scores, SizeIs(6));
  ASSERT_THAT(reported, SizeIs(6));
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(std::stod(scores[i]), reported[i], 1e-3);
  const Result int8 = run_heed({"translate", run, "--set", "decoding.weights=int8"}, source);
  EXPECT_THAT(lines_of(product(int8)), SizeIs(3));
  EXPECT_THAT(run_heed({"attention", run, "--kind", "rollout"}, source).err,
              HasSubstr("the decoder's layers of self-attention"));
}

INSTANTIATE_TEST_SUITE_P(Kinds, Decoders, testing::Values("ssru", "average"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace heed::cli
