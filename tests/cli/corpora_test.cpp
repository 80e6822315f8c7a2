// What heed doctor and heed train say of flawed corpora, and what data.clean leaves out.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// Four training pairs of which two are the same and one is in the test set.
std::string write_flawed(const TemporaryFolder& folder, const std::string& more = "") {
  const auto pair = [&](const std::string& name, const std::string& source,
                        const std::string& target) {
    return "{source: " + folder.write(name + ".src", source) +
           ", target: " + folder.write(name + ".tgt", target) + "}\n";
  };
  return folder.write("flawed.yaml",
                      "output: " + (folder / "run") + "\nmodel: " + kNone +
                          "\ntraining: {validate_bleu: false, updates: 2}\ndata:\n  train: " +
                          pair("train", "a b\nc d\na b\ne f\n", "b a\nd c\nb a\nf e\n") +
                          "  valid: " + pair("valid", "e g\nc d\n", "g e\nc c\n") +
                          "  vocabulary: {algorithm: bpe, size: 16}\n" + more);
}

TEST(Corpora, AreReportedOnByDoctor) {
  const TemporaryFolder folder;
  const std::string report = product(run_heed({"doctor", write_flawed(folder)}));
  EXPECT_THAT(lines_of(report), SizeIs(5));
  EXPECT_THAT(report, HasSubstr("train.tgt, 4 pairs, Latin + Latin\n"
                                "  the same as an earlier pair: 1 (line 3)\n"
                                "  a side is also in data.valid or data.test: 1 (line 2)\n"));
  EXPECT_THAT(report, HasSubstr("valid.tgt, 2 pairs, Latin + Latin\n"
                                "  source also in data.train: 1 (line 2)\n"));
}

TEST(Corpora, AreReportedOnAsJson) {
  const TemporaryFolder folder;
  const auto report = json::parse(product(run_heed({"doctor", write_flawed(folder), "--json"})));
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

TEST(Corpora, AreNamedInEveryMistake) {
  const TemporaryFolder folder;
  expect_mistake(run_heed({"doctor", folder.write("empty.yaml", "seed: 1\n")}), {"data.train"});
  expect_mistake(run_heed({"doctor", write_flawed(folder, "  clean: [duplicate]\n")}),
                 {"flawed.yaml", "data.clean", "'duplicates'"});
  expect_mistake(run_heed({"doctor", "--json"}), {"config"});
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
  const Result warned = run_heed({"-q", "train", config});
  EXPECT_EQ(warned.status, 0) << warned.err;
  EXPECT_THAT(warned.err, HasSubstr("train.tgt: lines that are not UTF-8: 1, the first is line 2"));
  std::string source, target;
  for (int i = 0; i < 10; ++i) {
    source += "a b\n";
    target += "\xE4 b\n";
  }
  folder.write("train.src", source);
  folder.write("train.tgt", target);
  expect_mistake(run_heed({"-q", "train", config, "--overwrite"}),
                 {"train.tgt:1: not UTF-8", "iconv -f WINDOWS-1252 -t UTF-8"});
}

TEST(Corpora, WhoseLastLineIsCutOffAreWarnedOf) {
  const TemporaryFolder folder;
  write_toy_pairs(folder, "train", 60, 1);
  write_toy_pairs(folder, "valid", 7, 2);
  const std::string source = folder / "train.src", text = read_file(source);
  folder.write("train.src", text.substr(0, text.size() - 1));
  const Result result = run_heed({"train", write_toy_config(folder, {"run", kNone, "updates: 2"})});
  EXPECT_EQ(result.status, 0) << result.err;
  const std::string warning = ":60: the last line has no line feed, and counts as whole";
  const std::size_t said = result.err.find(source + warning);
  EXPECT_NE(said, std::string::npos) << result.err;
  EXPECT_EQ(result.err.find(warning, said + source.size() + 1), std::string::npos) << result.err;
}

TEST(Corpora, InUtf16AreRefusedWithTheCure) {
  const TemporaryFolder folder;
  const std::string config = write_flawed(folder), source = folder / "train.src";
  const std::string target = folder / "train.tgt";
  std::string wide = "\xFF\xFE";
  for (int i = 0; i < 4; ++i) wide += std::string("a\0 \0b\0\n\0", 8);
  folder.write("train.src", wide);
  const std::vector<std::string> parts{source + ":1: text in UTF-16; convert it: iconv -f UTF-16 ",
                                       "-t UTF-8 " + source + " > NEW"};
  expect_mistake(run_heed({"-q", "train", config}), parts);
  expect_mistake(run_heed({"doctor", config}), parts);
  expect_mistake(
      run_heed({"init", source, target, "-o", folder / "new.yaml", "--data", folder / "parts"}),
      parts);
  expect_mistake(run_heed({"evaluate", "--hypothesis", target, "--reference", source}), parts);
}

}  // namespace
}  // namespace heed::cli
