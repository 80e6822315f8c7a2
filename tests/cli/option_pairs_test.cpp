// Every two options of `heed translate` work together, or are refused in one line before anything
// is translated: one line in gives one line out, whatever is asked for.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

using Words = std::vector<std::string>;

bool has(const Words& words, const std::string& word) {
  return std::ranges::count(words, word) > 0;
}

class OptionPairs : public testing::Test {
 protected:
  /// Each with the values that it needs.
  std::vector<Words> options() const {
    const auto set = [](const std::string& setting) { return Words{"--set", setting}; };
    return {{"--document", "txt"},
            {"--document", "markdown"},
            {"--markup", "html"},
            {"--markup", "xml"},
            {"--keep", "numbers,urls"},
            {"--prefix", prefix_},
            {"--prefix-column"},
            {"--pieces"},
            {"--glossary", terms_},
            {"--beam", "3"},
            {"--sample"},
            {"--batch", "2"},
            {"--output", output_},
            {"--output", output_, "--resume"},
            {"--n-best", "2"},
            {"--scores"},
            {"--alignment"},
            {"--replace-unknown"},
            {"--flags"},
            {"--retry"},
            {"--json"},
            {"--layer", "last"},
            {"--head", "mean"},
            {"--aligned-step", "reads"},
            {"--min-weight", "0.1"},
            set("decoding.weights=int8"),
            set("decoding.mbr=3"),
            set("decoding.no_repeat_ngram=2"),
            set("decoding.coverage_penalty=0.2"),
            set("decoding.min_length=2"),
            set("decoding.shortlist=" + shortlist_)};
  }

  TemporaryFolder folder_;
  const std::string model_ = Toy::get().rnn;
  const std::string text_ = folder_.write("text", "a b 12\n\nfoo@bar.de <i>c</i> d & e\n");
  const std::string prefix_ = folder_.write("prefix", "b\n\n\n");
  const std::string terms_ = folder_.write("terms.tsv", "a\tj\n");
  const std::string output_ = folder_ / "out";
  const std::string shortlist_ = folder_ / "shortlist.bin";
};

TEST_F(OptionPairs, WorkOrAreRefusedInOneLine) {
  const Toy& toy = Toy::get();
  product(run_heed({"shortlist", model_, toy.folder / "train.src", toy.folder / "train.tgt",
                    "--best", "5", "--frequent", "5", "-o", shortlist_}));
  const std::vector<Words> all = options();
  std::size_t worked = 0, refused = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t k = i + 1; k < all.size(); ++k) {
      if (all[i][0] == all[k][0] && all[i][0] != "--set") continue;
      std::filesystem::remove(output_);
      Words command{"translate", model_, text_};
      command.insert(command.end(), all[i].begin(), all[i].end());
      command.insert(command.end(), all[k].begin(), all[k].end());
      const Result result = start_heed(command);
      SCOPED_TRACE(join(command, " ") + "\n" + result.out + result.err);
      if (result.status != 0) {
        expect_mistake(result, {});
        ++refused;
        continue;
      }
      ++worked;
      std::string out = result.out;
      if (has(command, "--output")) {
        EXPECT_EQ(out, "");
        out = read_file(output_);
      }
      const auto lines = static_cast<std::size_t>(std::ranges::count(out, '\n'));
      if (has(command, "--n-best") && !has(command, "--json"))
        EXPECT_EQ(lines, 4U);  // a blank line has no hypotheses
      else
        EXPECT_EQ(lines, 3U);
    }
  // Neither may become the rule without somebody looking at it.
  EXPECT_GT(worked, 250U);
  EXPECT_GT(refused, 60U);
}

}  // namespace
}  // namespace heed::cli
