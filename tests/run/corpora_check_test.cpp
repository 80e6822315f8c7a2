// Messages about flawed corpora, and lines that data.clean leaves out.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "data/hygiene.h"
#include "run/in_process.h"

namespace heed::run {
namespace {

using namespace cli;
using nlohmann::json;
using ::testing::HasSubstr;

TEST(Corpora, AreReportedOnAsJson) {
  const TemporaryFolder folder;
  const auto report =
      json::parse(data::check_hygiene(load_config(write_flawed(folder), {}).data).to_json());
  const auto& train = report.at("sets").at("data.train");
  EXPECT_EQ(train.at("pairs"), 4);
  EXPECT_EQ(train.at("source_script"), "Latin");
  EXPECT_EQ(train.at("duplicates"), json::parse(R"({"count": 1, "lines": [3]})"));
  EXPECT_EQ(train.at("overlap").at("lines"), std::vector<int>{2});
  EXPECT_EQ(train.at("encoding").at("count"), 0);
  const auto& overlap = report.at("sets").at("data.valid").at("overlap");
  EXPECT_EQ(overlap.at("source").at("lines"), std::vector<int>{2});
  EXPECT_EQ(overlap.at("target").at("count"), 0);
  EXPECT_EQ(overlap.at("pair").at("count"), 0);
}

TEST(Corpora, AreReportedOnBeforeTrainingAndCleanedWhereAskedTo) {
  const TemporaryFolder folder;
  const std::string config = write_flawed(folder), log = folder / "run/train.log";
  train_toy(config);
  EXPECT_THAT(read_file(log), HasSubstr("  the same as an earlier pair: 1 (line 3)"));
  EXPECT_THAT(read_file(log), HasSubstr("4 of 4 pairs"));
  train_toy(config, {"--overwrite", "--set", "data.clean=[duplicates, overlap]"});
  EXPECT_THAT(read_file(log), HasSubstr("2 of 4 pairs"));
  EXPECT_THAT(read_file(log), HasSubstr("left out, the same as an earlier pair: 1 (line 3)"));
}

TEST(Corpora, InLatin1AreRefusedWithTheCureAndAFewBrokenLinesWarnedOf) {
  const TemporaryFolder folder;
  const std::string config = write_flawed(folder);
  folder.write("train.tgt", "b a\nd \xE4\nb a\nf e\n");
  const Quiet quiet;
  const Result warned = train(config);
  EXPECT_EQ(warned.status, 0) << warned.err;
  EXPECT_THAT(warned.err, HasSubstr("train.tgt: lines that are not UTF-8: 1, the first is line 2"));
  std::string source, target;
  for (int i = 0; i < 10; ++i) {
    source += "a b\n";
    target += "\xE4 b\n";
  }
  folder.write("train.src", source);
  folder.write("train.tgt", target);
  expect_mistake(train(config, {"--overwrite"}),
                 {"train.tgt:1: not UTF-8", "iconv -f WINDOWS-1252 -t UTF-8"});
}

TEST(Corpora, WithOneTextOnBothSidesAreWarnedOf) {
  const TemporaryFolder folder;
  const std::string config = write_flawed(folder),
                    copy = folder.write("copy.src", read_file(folder / "train.src")),
                    setting = "data.train.target=" + copy;
  const Quiet quiet;
  const std::string warning = "both sides are the same in each of the 4 pairs";
  EXPECT_THAT(train(config, {"--set", setting}).err, HasSubstr("data.train: " + warning));
  EXPECT_THAT(train(config, {"--overwrite"}).err, ::testing::Not(HasSubstr(warning)));
}

TEST(Corpora, WhoseLastLineIsCutOffAreWarnedOf) {
  const TemporaryFolder folder;
  write_toy_pairs(folder, "train", 60, 1);
  write_toy_pairs(folder, "valid", 7, 2);
  const std::string source = folder / "train.src", text = read_file(source);
  folder.write("train.src", text.substr(0, text.size() - 1));
  const Result result = train(write_toy_config(folder, {"run", kNone, "updates: 2"}));
  EXPECT_EQ(result.status, 0) << result.err;
  const std::string warning = ":60: the last line has no line feed, and counts as whole";
  const std::size_t said = result.err.find(source + warning);
  EXPECT_NE(said, std::string::npos) << result.err;
  EXPECT_EQ(result.err.find(warning, said + source.size() + 1), std::string::npos) << result.err;
}

}  // namespace
}  // namespace heed::run
