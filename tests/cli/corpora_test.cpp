// heed doctor names what is wrong with corpora. The test also holds what other commands say of
// those in UTF-16.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

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

TEST(Corpora, AreNamedInEveryMistake) {
  const TemporaryFolder folder;
  expect_mistake(run_heed({"doctor", folder.write("empty.yaml", "seed: 1\n")}), {"data.train"});
  expect_mistake(run_heed({"doctor", write_flawed(folder, "  clean: [duplicate]\n")}),
                 {"flawed.yaml", "data.clean", "'duplicates'"});
  expect_mistake(run_heed({"doctor", "--json"}), {"config"});
}

/// The flawed corpus with its training pairs in a translation memory.
std::string write_flawed_memory(const TemporaryFolder& folder) {
  const std::vector<std::string> pairs[] = {
      {"a b", "b a"}, {"c d", "d c"}, {"a b", "b a"}, {"e f", "f e"}};
  std::string units;
  for (const auto& pair : pairs)
    units += "<tu><tuv xml:lang=\"de\"><seg>" + pair[0] +
             "</seg></tuv><tuv xml:lang=\"EN-US\"><seg>" + pair[1] + "</seg></tuv></tu>\n";
  const std::string memory =
      folder.write("m.tmx", "<tmx version=\"1.4\"><header/><body>\n" + units + "</body></tmx>\n");
  std::string yaml = read_file(write_flawed(folder));
  for (const auto& [file, side] : {std::pair{"train.src", "#de"}, {"train.tgt", "#en"}})
    yaml.replace(yaml.find(folder / file), (folder / file).size(), memory + side);
  folder.write("memory.yaml", yaml);
  return memory;
}

TEST(Corpora, OfATranslationMemoryAreReadByEveryCommand) {
  const TemporaryFolder folder;
  const std::string memory = write_flawed_memory(folder), config = folder / "memory.yaml",
                    source = memory + "#de", target = memory + "#en";
  EXPECT_THAT(product(run_heed({"doctor", config})),
              HasSubstr("m.tmx#en, 4 pairs, Latin + Latin\n"
                        "  the same as an earlier pair: 1 (line 3)\n"));
  EXPECT_EQ(run_heed({"-q", "train", config}).status, 0);
  EXPECT_THAT(read_file(folder / "run/config.yaml"), HasSubstr(source));
  EXPECT_EQ(run_heed({"-q", "train", config, "--resume"}).status, 0);  // of the same corpus
  EXPECT_EQ(run_heed({"-q", "vocab", source, target, "--algorithm", "bpe", "--size", "16", "-o",
                      folder / "v.spm"})
                .status,
            0);
  product(run_heed({"clean", source, target, "--remove", "duplicates", "-o", folder / "c"}));
  EXPECT_EQ(read_file(folder / "c.target"), "b a\nd c\nf e\n");
  EXPECT_EQ(lines_of(product(run_heed({"-q", "translate", folder / "run", source}))).size(), 4U);
  EXPECT_THAT(product(run_heed({"evaluate", "--hypothesis", folder / "train.tgt", "--reference",
                                target, "--set", "evaluation.metrics=[chrf]"})),
              HasSubstr("100"));
  expect_mistake(run_heed({"doctor", config, "--set", "data.train.0.source=" + memory + "#fr"}),
                 {"no unit has a text in 'fr'; its languages: EN-US (4 units), de (4 units)"});
  expect_mistake(run_heed({"init", memory}), {"name both, as heed init '" + memory + "#de'"});
  expect_mistake(
      run_heed({"clean", memory, memory}),
      {memory + ": a translation memory (TMX); name the language of the side after it, '" + memory +
       "#de' or '" + memory + "#EN-US'"});
}

TEST(Corpora, WhoseLinesHaveSlippedAreMended) {
  const TemporaryFolder folder;
  std::string source, target, cut;
  for (int i = 0; i < 80; ++i) {
    std::string words;
    for (int word = 0; word <= (i * i * 7 + i) % 19; ++word) words += "a b c ";
    words += std::to_string(i) + ' ';
    source += words + ".\n";
    target += (i == 40 ? "\n" : "") + words + "d.\n";
    if (i < 79) cut = target;
  }
  const std::string from = folder.write("s", source), to = folder.write("t", target);
  write_atomic(folder / "cut", cut);
  expect_mistake(run_heed({"init", from, folder / "cut", "--name", "n", "-o", folder / "n.yaml",
                           "--data", folder / "parts"}),
                 {"lines have slipped: from line 41 on the target is 1 line late; mend it by `",
                  "`heed clean " + from + " " + (folder / "cut") + " --realign -o realigned`; and",
                  "heed init realigned.source realigned.target --name n"});
  EXPECT_FALSE(std::filesystem::exists(folder / "parts"));
  expect_mistake(run_heed({"doctor", from, to}),
                 {"s has 80 lines and", "t has 81; ",
                  "slipped: from line 41 on the target is 1 line late; mend it by `heed clean "});
  product(run_heed({"clean", from, to, "--realign", "-o", folder / "mended"}));
  EXPECT_EQ(read_file(folder / "mended.source"), source);
  EXPECT_EQ(read_file(folder / "mended.removed.tsv"), "41\tno partner\t\t\n");
  // Files that fit as far as both go, and files that are too short.
  const Result whole = run_heed({"clean", from, from, "--realign", "-o", folder / "same"});
  product(whole);
  EXPECT_THAT(whole.err, HasSubstr("no line has slipped; 80 pairs, 0 of them"));
  expect_mistake(run_heed({"doctor", from,
                           folder.write("short", source.substr(0, source.find(" 60 .\n") + 6))}),
                 {"the lines that both have fit, and `heed clean"});
  const std::string few = folder.write("few", "a\nb\n");
  expect_mistake(run_heed({"clean", few, few, "--realign", "-o", folder / "few_out"}),
                 {"2 lines are too few to tell whether they have slipped; 50 tell it; nothing"});
  EXPECT_FALSE(std::filesystem::exists(folder / "few_out.source"));
  write_atomic(to, cut);
  EXPECT_THAT(
      product(run_heed({"doctor", from, to})),
      HasSubstr("  lines have slipped: from line 41 on the target is 1 line late; mend it"));
}

TEST(Corpora, InOneFileAreReadByEveryCommand) {
  const TemporaryFolder folder;
  const std::string file = folder.write("c.tsv", "a b\tb a\nc d\td c\na b\tb a\n");
  EXPECT_THAT(product(run_heed({"doctor", file})),
              HasSubstr("c.tsv, 3 pairs, Latin + Latin\n"
                        "  the same as an earlier pair: 1 (line 3)\n"));
  product(run_heed({"clean", file, "--remove", "duplicates", "-o", folder / "c"}));
  EXPECT_EQ(read_file(folder / "c.target"), "b a\nd c\n");
  expect_mistake(run_heed({"clean", file, "--realign", "-o", folder / "c"}),
                 {"c.tsv has both sides: cut -f1 " + file + " > SOURCE; cut -f2 "});
  EXPECT_THAT(lines_of(product(run_heed({"score", Toy::get().rnn, file}))), SizeIs(3));
  const std::string json = folder.write("c.jsonl", "{\"en\": \"a\", \"de\": \"b\"}\n"),
                    empty = folder.write("empty", "");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"init"}, {"doctor"}, {"clean"}, {"score", Toy::get().rnn}}) {
    std::vector<std::string> all = command;
    all.push_back(json);
    expect_mistake(run_heed(all), {"as a .tsv file: python3 -c 'import json"});
  }
  expect_mistake(run_heed({"score", Toy::get().rnn, empty, empty}), {"empty; no pair to score"});
}

TEST(Corpora, OfFastAlignAreToldHowTheyBecomeTables) {
  const TemporaryFolder folder;
  const std::string file = folder.write("fa.txt", "a b ||| b a\n\nc | d: ||| d c\n");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"init"}, {"doctor"}, {"clean"}, {"score", Toy::get().rnn}}) {
    std::vector<std::string> all = command;
    all.push_back(file);
    const std::string said = run_heed(all).err;
    EXPECT_THAT(said,
                HasSubstr(command[0] + ": " + file + ": has both sides with ' ||| ' between"));
    const std::size_t from = said.find("awk ");
    ASSERT_NE(from, said.npos);
    const std::string cure = "cd " + folder.path() + " && " + said.substr(from);
    ASSERT_EQ(std::system(cure.c_str()), 0) << cure;
    EXPECT_EQ(read_file(folder / "NEW.tsv"), "a b\tb a\n\nc | d:\td c\n");
  }
  expect_mistake(run_heed({"init", folder.write("deu.txt", "Hi.\tHallo!\tCC\nGo.\tGeh.\tCC\n")}),
                 {"init: ", "deu.txt: each of its first lines has 2 TABs", "cut -f1,2 < "});
  // A corpus of sentences alone is no configuration, either.
  expect_mistake(run_heed({"doctor", folder.write("a.en", "A man: here.\nHe sleeps.\n")}),
                 {"doctor: name a file of sources and one of translations"});
  expect_mistake(run_heed({"doctor", folder.write("x", "nam: a\n")}), {"did you mean 'name'?"});
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
