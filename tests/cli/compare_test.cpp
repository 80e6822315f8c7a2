// heed compare: runs and files of translations.
#include <nlohmann/json.hpp>
#include <string>

#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Compare, TellsWhereTwoFilesDiffer) {
  const TemporaryFolder folder;
  std::string reference, better, worse, source;
  for (int i = 0; i < 30; ++i) {
    const std::string number = std::to_string(i);
    source += "quelle " + number + "\n";
    reference += "the cat saw a dog " + number + "\n";
    better += "the cat saw a dog " + number + "\n";
    worse +=
        i % 3 == 0 ? "the bat saw a log " + number + "\n" : "the cat saw a dog " + number + "\n";
  }
  const std::string a = folder.write("a.txt", worse), b = folder.write("b.txt", better);
  const std::string out = product(run_heed(
      {"compare", a, b, "--reference", folder.write("ref", reference), "--source",
       folder.write("src", source), "-o", folder / "page.html", "--json", folder / "all.json"}));
  EXPECT_THAT(out, AllOf(HasSubstr("a.txt"), HasSubstr("b.txt"), HasSubstr("p < 0.001")));
  const auto all = nlohmann::json::parse(read_file(folder / "all.json"));
  EXPECT_GT(all["systems"][1]["against_first"]["bleu"], 5);
  EXPECT_EQ(all["systems"][1]["against_first"]["sentences_better"], 10);
  EXPECT_EQ(all["systems"][1]["ngrams"]["this_right"][0]["second"], 30);
  EXPECT_EQ(all["systems"][1]["ngrams"]["this_right"][0]["first"], 20);
  EXPECT_THAT(read_file(folder / "page.html"),
              AllOf(HasSubstr("<mark>bat</mark>"), HasSubstr("Words by frequency")));
}

TEST(Compare, TakesRunsByWhatTheyLeft) {
  const Toy& toy = Toy::get();
  const TemporaryFolder folder;
  const std::string out =
      product(run_heed({"compare", toy.rnn, toy.transformer, "--source", toy.folder / "test.src",
                        "--reference", toy.folder / "test.tgt", "-o", folder / "p.html"}));
  EXPECT_THAT(out, AllOf(HasSubstr("rnn"), HasSubstr("transformer")));
  expect_mistake(run_heed({"compare", toy.rnn}), {"two or more"});
  expect_mistake(run_heed({"compare", folder.write("x", "a\n"), folder.write("y", "a\nb\n"),
                           "--reference", folder.write("r", "a\n")}),
                 {"y", "2 lines"});
}

}  // namespace
}  // namespace heed::cli
