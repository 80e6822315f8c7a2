// heed init: from two files to a configuration that trains.
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Init, WritesAConfigurationThatTrainsAsItStands) {
  const TemporaryFolder folder;
  write_toy_pairs(folder, "corpus", 2000, 5);
  const std::string config = folder / "mine.yaml";
  const Result result = run_heed({"init", folder / "corpus.src", folder / "corpus.tgt", "-o",
                                  config, "--name", "mine", "--data", folder / "parts"});
  EXPECT_THAT(product(result), HasSubstr("heed train"));
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("2000 pairs"), HasSubstr("10,000 of everyday sentences gave BLEU 28"),
                    HasSubstr("--from MODEL"), HasSubstr("validation and")));
  EXPECT_THAT(read_file(config),
              AllOf(HasSubstr("duplicates"), HasSubstr("attention: luong_general")));
  for (const char* part : {"train.src", "valid.tgt", "test.src"})
    EXPECT_TRUE(std::filesystem::exists(folder / ("parts/" + std::string(part)))) << part;
  product(run_heed({"train", config, "--set", "output=" + (folder / "run"), "--set",
                    "training.updates=3", "--set", "training.validate_every=3", "--set",
                    "training.warmup=1", "--set", "training.validate_bleu=false", "--set",
                    "data.test={source: '', target: ''}"}));
  EXPECT_TRUE(std::filesystem::exists(folder / "run/model.safetensors"));
}

/// Different pairs of three words: 97, 89 and 83 have no common factor.
void write_pairs_by_arithmetic(const TemporaryFolder& folder, int count) {
  const auto word = [](int number) {
    return std::string{static_cast<char>('a' + number % 26), static_cast<char>('a' + number / 26)};
  };
  std::string source, target;
  for (int i = 0; i < count; ++i) {
    const std::string a = word(i % 97), b = word(i % 89), c = word(i % 83);
    source += a + " " + b + "x " + c + "y\n";
    target += c + "z " + b + "u " + a + "\n";
  }
  folder.write("corpus.src", source);
  folder.write("corpus.tgt", target);
}

TEST(Init, FiveThousandPairsGetATransformerThatTrainWillNotRefuse) {
  const TemporaryFolder folder;
  write_pairs_by_arithmetic(folder, 5001);
  const std::string config = folder / "mine.yaml";
  const Result result = run_heed({"init", folder / "corpus.src", folder / "corpus.tgt", "-o",
                                  config, "--data", folder / "parts"});
  product(result);
  EXPECT_THAT(result.err, AllOf(HasSubstr("4501 training, 250 validation and 250 test pairs"),
                                HasSubstr("memory: about "), HasSubstr(" parameters)")));
  EXPECT_THAT(read_file(config), AllOf(HasSubstr("type: transformer"), HasSubstr("width: 192"),
                                       HasSubstr("# About 29 epochs.")));
  // The same check says the same of it.
  const Result check = run_heed({"config", config, "--check"});
  EXPECT_EQ(check.status, 0) << check.err;
  const auto memory = [](const Result& of) {
    const std::string err = of.err.substr(std::min(of.err.size(), of.err.find("memory: about ")));
    return err.substr(0, err.find('\n'));
  };
  EXPECT_EQ(memory(check), memory(result));
}

TEST(Init, TellsOnceOfALineOfColumnNames) {
  const TemporaryFolder folder;
  write_pairs_by_arithmetic(folder, 300);
  std::string table = "source\ttarget\n";
  const std::vector<std::string> sources = lines_of(read_file(folder / "corpus.src")),
                                 targets = lines_of(read_file(folder / "corpus.tgt"));
  for (std::size_t i = 0; i < sources.size(); ++i) table += sources[i] + "\t" + targets[i] + "\n";
  const std::string file = folder.write("corpus.tsv", table);
  const Result result =
      run_heed({"init", file, "-o", folder / "mine.yaml", "--data", folder / "parts"});
  product(result);
  EXPECT_THAT(result.err, AllOf(HasSubstr("line 1 has names of columns, and counts as a pair; to "
                                          "leave it out, init anew with: tail -n +2 " +
                                          file),
                                Not(HasSubstr("a line of column names"))));
}

TEST(Init, NamesTheTrueFaultOfAFolderAndOfAName) {
  const TemporaryFolder folder;
  write_pairs_by_arithmetic(folder, 60);
  const std::string source = folder / "corpus.src", target = folder / "corpus.tgt";
  const std::string yaml = folder.write("n.yaml", "name: n\n");
  expect_mistake(run_heed({"init", source, target, "-o", folder.path(), "--name", "n"}),
                 {": is a folder; name another file with -o"});
  expect_mistake(run_heed({"init", folder.path(), target, "-o", yaml, "--name", "n"}),
                 {"is a folder"});
  expect_mistake(run_heed({"init", source, target, "-o", yaml, "--name", "../up"}),
                 {"init: --name '../up' cannot be a run's folder in runs/; give a name without "
                  "slashes"});
}

/// Sentences of 1 to 19 words with their number.
std::string sentences(int count, const std::string& word) {
  std::string text;
  std::mt19937 random(7);  // lengths without a period, by which no other line fits
  for (int i = 0; i < count; ++i) {
    const int last = static_cast<int>(random() % 19);
    for (int words = 0; words <= last; ++words) text += word + " b c ";
    text += std::to_string(i) + " .\n";
  }
  return text;
}

TEST(Init, EndsWhereAPartIsOutOfOrder) {
  const TemporaryFolder folder;
  std::vector<std::string> target = lines_of(sentences(1000, "d"));
  std::shuffle(target.begin() + 500, target.end(), std::mt19937(1));
  std::string text;
  for (const std::string& line : target) text += line + "\n";
  const std::string from = folder.write("s", sentences(1000, "a")), to = folder.write("t", text);
  const Result result =
      run_heed({"init", from, to, "--name", "n", "-o", folder / "n.yaml", "--data", folder / "p"});
  expect_mistake(result,
                 {"lines are out of order: lines 50", " to 1000 fit at no lag: out of order",
                  "leave them out by `heed clean ",
                  "heed init realigned.source realigned.target --name n -o ", "n.yaml --data "});
  EXPECT_FALSE(std::filesystem::exists(folder / "p"));
  const Result mended = run_heed({"clean", from, to, "--realign", "-o", folder / "mended"});
  product(mended);
  EXPECT_THAT(mended.err, HasSubstr("lines of the target are out of order"));
  EXPECT_THAT(read_file(folder / "mended.removed.tsv"), HasSubstr("\tout of order\t"));
  EXPECT_NEAR(static_cast<double>(lines_of(read_file(folder / "mended.source")).size()), 500, 9);
  // One file is a line shorter.
  text.erase(text.rfind('\n', text.size() - 2) + 1);
  expect_mistake(run_heed({"doctor", from, folder.write("cut", text)}),
                 {"s has 1000 lines and", "cut has 999; ", "lines are out of order: lines 50"});
}

TEST(Init, WarnsOnceOfFilesOfAnotherOrder) {
  const TemporaryFolder folder;
  std::vector<std::string> target = lines_of(sentences(1000, "d"));
  std::shuffle(target.begin(), target.end(), std::mt19937(1));
  std::string text;
  for (const std::string& line : target) text += line + "\n";
  const Result result =
      run_heed({"init", folder.write("s", sentences(1000, "a")), folder.write("t", text), "--name",
                "n", "-o", folder / "n.yaml", "--data", folder / "p"});
  product(result);
  const std::string said = "looks no more like line i of";
  const std::size_t first = result.err.find(said);
  ASSERT_NE(first, std::string::npos) << result.err;
  EXPECT_EQ(result.err.find(said, first + 1), std::string::npos) << result.err;
  EXPECT_THAT(result.err, Not(HasSubstr("--realign")));
}

TEST(Init, SaysHowManyPairsAreLeftOut) {
  const TemporaryFolder folder;
  write_pairs_by_arithmetic(folder, 40);
  for (const char* side : {"corpus.src", "corpus.tgt"}) {
    const std::string text = read_file(folder / side);
    folder.write(side, text + text + text);
  }
  const Result result =
      run_heed({"init", folder / "corpus.src", folder / "corpus.tgt", "-o", folder / "mine.yaml",
                "--data", folder / "parts", "--valid", "5", "--test", "3"});
  product(result);
  // Each of the 8 is there twice more.
  EXPECT_THAT(result.err, HasSubstr("96 training, 5 validation and 3 test pairs, 16 left out, "
                                    "which are also in validation or test\n"));
}

TEST(Init, NamesTheRunAfterTheFolderOfAFileCalledTrain) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "data/letters");
  write_toy_pairs(folder, "data/letters/train", 200, 5);
  product(run_heed_in({"--chdir=" + folder.path()},
                      {"init", "data/letters/train.src", "data/letters/train.tgt"}));
  EXPECT_THAT(read_file(folder / "letters.yaml"), HasSubstr("name: letters\n"));
  EXPECT_TRUE(std::filesystem::exists(folder / "data/letters_split/train.src"));
  product(run_heed_in({"--chdir=" + (folder / "data/letters")},
                      {"init", "./train.src", "./train.tgt"}));
  EXPECT_THAT(read_file(folder / "data/letters/letters.yaml"), HasSubstr("name: letters\n"));
}

TEST(Init, OverwritesNothingAndRefusesTooFewPairs) {
  const TemporaryFolder folder;
  write_toy_pairs(folder, "corpus", 40, 5);
  const std::string source = folder / "corpus.src", target = folder / "corpus.tgt";
  folder.write("there.yaml", "kept");
  expect_mistake(run_heed({"init", source, target, "-o", folder / "there.yaml"}),
                 {"there.yaml", "is there already"});
  EXPECT_EQ(read_file(folder / "there.yaml"), "kept");
  expect_mistake(run_heed({"-q", "init", source, target, "-o", folder / "x.yaml", "--data",
                           folder / "parts", "--valid", "30", "--test", "30"}),
                 {"; 30 for validation and 30 for test leave none to train on"});
  expect_mistake(run_heed({"init", source, target, "-o", folder / "x.yaml", "--data",
                           folder / "parts", "--name", "a/mine"}),
                 {"--name 'a/mine' cannot be a run's folder in runs/"});
  expect_mistake(run_heed({"init", source, target, "-o", folder / "x.yaml", "--data=~ada/parts"}),
                 {"~ada/parts: only a shell replaces ~ada; write the path in full"});
  EXPECT_FALSE(std::filesystem::exists(folder / "parts"));
  for (const char* part : {"--valid", "--test"})
    expect_mistake(run_heed({"init", source, target, part, "-5"}),
                   {part, "got '-5', expected a number from 0"});
  expect_mistake(run_heed({"init", source}), {"a file of sources and one of translations"});
}

TEST(Init, NeverWritesOverItsCorpus) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "parts");
  write_toy_pairs(folder, "parts/train", 60, 5);
  const std::string source = folder / "parts/train.src", target = folder / "parts/train.tgt";
  const std::string before = read_file(source) + read_file(target);
  const auto init = [&](const std::string& output, const std::string& data,
                        const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"-q", "init", source, target, "-o", output, "--data", data};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_heed(arguments);
  };
  using Options = std::vector<std::string>;
  for (const Options& more : {Options{}, Options{"--force"}}) {
    expect_mistake(init(folder / "x.yaml", folder / "parts/../parts", more),
                   {"train.src: would be written over the corpus", "--data"});
    expect_mistake(init(target, folder / "new", more),
                   {"train.tgt: is read by this command, and would be replaced", "name another"});
  }
  EXPECT_EQ(read_file(source) + read_file(target), before);
}

TEST(Init, WritesPathsAndNamesThatItReadsBack) {
  const TemporaryFolder folder;
  write_toy_pairs(folder, "corpus", 60, 5);
  std::filesystem::rename(folder / "corpus.src", folder / "a,b.de");
  std::filesystem::rename(folder / "corpus.tgt", folder / "x #y.en");
  const std::string output = folder / "no folder: yet/q.yaml";
  product(run_heed_in({"--chdir=" + folder.path()},
                      {"init", "a,b.de", "x #y.en", "-o", output, "--name", "q: \"z\" # {",
                       "--data", "parts, all"}));
  const std::string read = product(run_heed({"config", output}));
  EXPECT_THAT(read, AllOf(HasSubstr("name: \"q: \\\"z\\\" # {\"\n"),
                          HasSubstr("source: \"parts, all/train.de\"\n"),
                          HasSubstr("target: \"parts, all/test.en\"\n")));
  EXPECT_TRUE(std::filesystem::exists(folder / "parts, all/valid.en"));
}

TEST(Init, GivesEachCharacterAPiece) {
  const TemporaryFolder folder;
  std::string source, target;
  for (int i = 0; i < 400; ++i) {
    for (int k = 0; k < 9; ++k) {  // U+4E00 to U+4FFF
      const int c = 0x4E00 + (i * 9 + k * 37) % 512;
      source += {static_cast<char>(0xE0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 63)),
                 static_cast<char>(0x80 | (c & 63))};
    }
    source += '\n';
    target += "no more than " + std::to_string(i) + "\n";
  }
  folder.write("corpus.zh", source);
  folder.write("corpus.en", target);
  const Result result = run_heed({"init", folder / "corpus.zh", folder / "corpus.en", "-o",
                                  folder / "c.yaml", "--data", folder / "parts"});
  EXPECT_THAT(product(result), HasSubstr("heed train"));
}

// `heed train` trains it from the same text, and the size is within reach.
TEST(Init, TrainsNoVocabularyWhereTheTextHasWordsEnough) {
  const TemporaryFolder folder;
  std::string source, target;
  for (int i = 0; i < 3600; ++i) {
    const std::string word{static_cast<char>('a' + i % 26), static_cast<char>('a' + i / 26 % 26),
                           static_cast<char>('a' + i / 676)};
    source += word + (i % 12 == 11 ? "\n" : " ");
    target += word + (i % 12 == 11 ? "x\n" : "x ");
  }
  folder.write("corpus.src", source);
  folder.write("corpus.tgt", target);
  const Result result = run_heed({"init", folder / "corpus.src", folder / "corpus.tgt", "-o",
                                  folder / "mine.yaml", "--data", folder / "parts"});
  product(result);
  EXPECT_THAT(result.err, AllOf(HasSubstr("memory: about "), Not(HasSubstr("a vocabulary"))));
  EXPECT_THAT(read_file(folder / "mine.yaml"), HasSubstr("size: 1000"));
}

TEST(Init, KeepsPairsThatShareASideWithValidationWhereMostDo) {
  const TemporaryFolder folder;
  std::string source, target;
  const auto add = [&](int from, int to, bool shared) {
    for (int i = from; i < to; ++i) {
      std::string word;
      for (int rest = i + 26; rest > 0; rest /= 26) word += static_cast<char>('a' + rest % 26);
      source += shared ? std::string(3, static_cast<char>('a' + i % 3)) : word + " x";
      source += '\n';
      target += "x " + word + "\n";
    }
    folder.write("corpus.src", source);
    folder.write("corpus.tgt", target);
  };
  const auto init = [&](const std::string& name) {
    const Result result = run_heed({"init", folder / "corpus.src", folder / "corpus.tgt", "-o",
                                    folder / (name + ".yaml"), "--data", folder / name});
    product(result);
    EXPECT_EQ(run_heed({"config", folder / (name + ".yaml"), "--check"}).status, 0);
    return result.err;
  };
  add(0, 500, /*shared=*/true);
  EXPECT_THAT(init("shared"), HasSubstr("450 of 450 training pairs have a side that is in "));
  EXPECT_THAT(read_file(folder / "shared.yaml"), HasSubstr("clean: [duplicates]\n"));
  add(500, 600, /*shared=*/false);  // enough to hold out
  EXPECT_THAT(init("own"), Not(HasSubstr("have a side that is in ")));
  EXPECT_THAT(read_file(folder / "own.yaml"), HasSubstr("clean: [duplicates, overlap]\n"));
}

TEST(Init, RefusesATsvFileWithAnotherFileBesideIt) {
  const TemporaryFolder folder;
  expect_mistake(run_heed({"init", folder.write("p.tsv", "a\tb\n"), folder.write("c.en", "b\n")}),
                 {"p.tsv has both sides, as its name says, and ", "give it alone"});
}

TEST(Init, RefusesOneTextAsBothSides) {
  const TemporaryFolder folder;
  write_toy_pairs(folder, "corpus", 100, 5);
  const std::string source = folder / "corpus.src", copy = folder.write("copy", read_file(source));
  std::filesystem::create_symlink(source, folder / "link");
  for (const std::string& same : {source, copy, folder / "link"})
    expect_mistake(
        run_heed({"-q", "init", source, same, "-o", folder / "x.yaml", "--data", folder / "parts"}),
        {"are the same in each of the 100 pairs", "would only copy"});
  EXPECT_FALSE(std::filesystem::exists(folder / "parts"));
}

TEST(Init, RefusesAStream) {
  const TemporaryFolder folder;
  write_toy_pairs(folder, "corpus", 60, 5);
  expect_mistake(run_heed({"init", "-", folder / "corpus.tgt"}), {"'-' can be read only once"});
}

TEST(Init, LeavesNothingWhereItFails) {
  namespace fs = std::filesystem;
  const TemporaryFolder folder;
  write_toy_pairs(folder, "corpus", 60, 5);
  folder.write("file", "");
  folder.write("old/kept", "kept");
  const std::string source = folder / "corpus.src", target = folder / "corpus.tgt";
  const auto init = [&](const std::string& output, const std::string& data) {
    return run_heed({"init", source, target, "-o", output, "--data", data});
  };
  const std::string parts = folder / "parts";
  EXPECT_EQ(init(folder / "file/x.yaml", parts).status, 1);
  EXPECT_FALSE(fs::exists(parts));
  EXPECT_EQ(init(folder / "file/x.yaml", folder / "new/parts").status, 1);
  EXPECT_FALSE(fs::exists(folder / "new"));
  // A vocabulary fails after most of the work.
  folder.write("tiny.src", "a b\nb\na\n");
  folder.write("tiny.tgt", "b a\nb\na\n");
  const Result tiny = run_heed({"init", folder / "tiny.src", folder / "tiny.tgt", "-o",
                                folder / "tiny.yaml", "--data", folder / "old"});
  EXPECT_EQ(tiny.status, 2);
  EXPECT_THAT(lines_of(tiny.err).back(),
              AllOf(HasSubstr("tiny.tgt: too little text for a vocabulary: it gives "),
                    HasSubstr("16 are the fewest")));
  EXPECT_FALSE(fs::exists(folder / "tiny.yaml"));
  EXPECT_FALSE(fs::exists(folder / "old/train.src"));
  EXPECT_EQ(read_file(folder / "old/kept"), "kept");
  EXPECT_EQ(init(folder / "x.yaml", parts).status, 0);
}

/// BLEU of a model on the validation pairs in `parts`.
double bleu_of(const std::string& model, const std::string& parts) {
  const std::string text = product(run_heed(
      {"evaluate", model, "--source", parts + "/valid.src", "--reference", parts + "/valid.tgt"}));
  std::smatch found;
  EXPECT_TRUE(std::regex_search(text, found, std::regex(R"(BLEU\D*(\d+\.\d+))"))) << text;
  return found.empty() ? 0 : std::stod(found[1]);
}

TEST(Init, GoesOnWithARunOnOtherText) {
  const Toy& toy = Toy::get();
  const TemporaryFolder folder;
  std::mt19937 random(3);
  std::string source, target;
  for (int i = 0; i < 500; ++i) {
    std::vector<std::string> words;
    for (unsigned left = 2 + random() % 5; left > 0; --left)
      words.push_back(std::vector<std::string>{"a", "b", "xy", "yx", "zz"}[random() % 5]);
    source += join(words, " ") + "\n";
    std::ranges::reverse(words);
    target += join(words, " ") + "\n";
  }
  const std::vector<std::string> corpus{folder.write("c.src", source),
                                        folder.write("c.tgt", target)};
  const std::string config = folder / "c.yaml", parts = folder / "parts", run = folder / "run";
  const auto init = [&](const std::string& base, const std::vector<std::string>& files,
                        const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"init", files[0], files[1], "--from", base,
                                       "-o",   config,   "--data", parts};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_heed(arguments);
  };
  const Result result = init(toy.rnn, corpus, {"--name", "tuned"});
  EXPECT_THAT(product(result), HasSubstr("heed train"));
  EXPECT_THAT(result.err, HasSubstr(" pieces more than "));  // x, y and z are new
  EXPECT_THAT(read_file(config),
              AllOf(HasSubstr("  from: " + toy.rnn + "\n"), HasSubstr("  embedding_size: 32\n"),
                    HasSubstr("  vocabulary: {kind: joint, source: " + parts + "/joint.spm}\n"),
                    HasSubstr("  learning_rate: 0.0033\n")));
  EXPECT_EQ(run_heed({"config", config, "--check"}).status, 0);
  train_toy(config, {"--set", "output=" + run});
  EXPECT_GT(bleu_of(run, parts), bleu_of(toy.rnn, parts) + 10);

  // The run has all pieces of known letters; a Transformer passes on its own keys.
  const Result known =
      init(toy.transformer, {toy.folder / "train.src", toy.folder / "train.tgt"}, {"--force"});
  EXPECT_THAT(product(known), HasSubstr("heed train"));
  EXPECT_THAT(read_file(config),
              AllOf(HasSubstr("  vocabulary: {kind: joint}\n"), HasSubstr("  feed_forward: 64\n"),
                    HasSubstr("  tie: all\n")));
  EXPECT_EQ(run_heed({"config", config, "--check"}).status, 0);
  const auto rate = [&] {
    std::smatch found;
    const std::string yaml = read_file(config);
    return std::regex_search(yaml, found, std::regex(R"(learning_rate: (\S+))"))
               ? std::stod(found[1])
               : 0;
  };
  const double full = rate();
  const Result adapters = init(toy.transformer, corpus, {"--adapters", "--force"});
  EXPECT_THAT(product(adapters), HasSubstr("heed train"));
  EXPECT_THAT(read_file(config), AllOf(HasSubstr("  adapters: {kind: lora}\n"),
                                       HasSubstr("  vocabulary: {kind: joint}\n")));
  EXPECT_NEAR(rate(), 10 * full, 0.2 * full);  // both are rounded
  EXPECT_EQ(run_heed({"config", config, "--check"}).status, 0);
  expect_mistake(init(folder / "parts", corpus, {}), {"config.yaml"});
  expect_mistake(run_heed({"init", corpus[0], corpus[1], "--adapters"}), {"--from"});
}

TEST(Init, TakesAsManyPairsAsAskedForOutOfACompressedFileOfBothSides) {
  const TemporaryFolder folder;
  std::string rows;
  for (int i = 0; i < 500; ++i) {
    std::string word;
    for (int rest = i + 26; rest > 0; rest /= 26) word += static_cast<char>('a' + rest % 26);
    rows += word + " x\tx " + word + "\n";
  }
  folder.write("both.tsv", rows);
  ASSERT_EQ(subprocess::run({"gzip", folder / "both.tsv"}).status, 0);
  const std::string config = folder / "c.yaml";
  const auto init = [&](const std::string& valid, const std::string& test) {
    return run_heed({"init", folder / "both.tsv.gz", "-o", config, "--data", folder / "parts",
                     "--valid", valid, "--test", test, "--force"});
  };
  EXPECT_THAT(init("7", "103").err, HasSubstr("390 training, 7 validation and 103 test pairs"));
  EXPECT_EQ(lines_of(read_file(folder / "parts/test.tgt")).size(), 103U);
  std::filesystem::remove_all(folder / "parts");
  const Result none = init("0", "0");
  EXPECT_THAT(product(none), HasSubstr("heed train"));
  EXPECT_FALSE(std::filesystem::exists(folder / "parts/valid.src"));
  const std::string yaml = read_file(config);
  EXPECT_THAT(yaml, AllOf(Not(HasSubstr("valid:")), Not(HasSubstr("test:")),
                          HasSubstr("clean: [duplicates]")));
  EXPECT_EQ(run_heed({"config", config, "--check"}).status, 0);
}

}  // namespace
}  // namespace heed::cli
