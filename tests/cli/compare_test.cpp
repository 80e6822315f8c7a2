// heed compare: runs and files of translations.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Compare, AFolderThatIsNoRunIsRefused) {
  const TemporaryFolder folder;
  const std::string file = folder.write("a.txt", "a\n");
  expect_mistake(run_heed({"compare", file, folder.path(), "--reference", file}),
                 {folder.path() + ": no run and no file"});
}

TEST(Compare, TellsWhereTwoFilesDiffer) {
  const TemporaryFolder folder;
  std::string reference, better, worse, source;
  for (int i = 0; i < 30; ++i) {
    source += "quelle " + std::to_string(i) + "\n";
    reference += "the cat saw a dog\n";
    better += "the cat saw a dog\n";
    worse += i % 3 == 0 ? "the bat saw a log\n" : "the cat saw a dog\n";
  }
  const std::string a = folder.write("a.txt", worse), b = folder.write("b.txt", better);
  const std::string out = product(run_heed(
      {"compare", a, b, "--reference", folder.write("ref", reference), "--source",
       folder.write("src", source), "-o", folder / "page.html", "--json", folder / "all.json"}));
  EXPECT_THAT(out, AllOf(HasSubstr("a.txt"), HasSubstr("b.txt"), HasSubstr("p < 0.001")));
  const auto all = nlohmann::json::parse(read_file(folder / "all.json"));
  EXPECT_GT(all["systems"][1]["against_first"]["bleu"], 5);
  EXPECT_EQ(all["systems"][1]["against_first"]["sentences_better"], 10);
  const auto& right = all["systems"][1]["ngrams"]["this_right"];
  const auto cat =
      std::ranges::find_if(right, [](const auto& row) { return row["ngram"] == "the cat"; });
  ASSERT_NE(cat, right.end());
  EXPECT_EQ((*cat)["first"], 20);
  EXPECT_EQ((*cat)["second"], 30);
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
                 {"y has 2", "line i"});
}

}  // namespace
}  // namespace heed::cli
