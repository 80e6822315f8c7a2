// heed distill.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "cli/program.h"
#include "cli/toy.h"
#include "quick_scorer.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

struct Distill : testing::Test {
  TemporaryFolder folder;
  const Toy& toy = Toy::get();
  const QuickScorer scorer;
  std::string student = folder / "student";

  std::vector<std::string> command(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all{"distill", toy.rnn, "-o", student};
    for (const char* setting :
         {"training.updates=40", "training.validate_every=40", "training.batch_size=400",
          "model.width=32", "model.feed_forward=64", "device=cpu", "threads=1"})
      all.insert(all.end(), {"--student", setting});
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  /// The command for a student that is hardly taught, and not measured.
  static std::vector<std::string> brief(std::vector<std::string> all) {
    for (const char* setting :
         {"training.updates=4", "training.validate_every=4", "data.test={source: '', target: ''}"})
      all.insert(all.end(), {"--student", setting});
    return all;
  }
  /// So short that no translation of a line counts as a copy of it, though it has the same words.
  std::string write_sources(const std::string& name, int count) const {
    std::string text;
    for (int i = 0; i < count; ++i)
      text += toy_words()[i % 20] + " " + toy_words()[(i * 7 + i / 20 + 1) % 20] + "\n";
    return folder.write(name, text);
  }
  std::string lesson(const std::string& name) const {
    return read_file(student + "/teaching/" + name);
  }
};

TEST_F(Distill, MakesAStudentAndGoesOnWhereItWasInterrupted) {
  const std::string source = write_sources("one", 60);
  const std::string more = write_sources("two", 70);
  const std::vector<std::string> all = command({source, more});
  const std::string report = product(run_heed(all));
  EXPECT_THAT(report, AllOf(HasSubstr("BLEU"), HasSubstr("\nteacher "), HasSubstr("\nstudent "),
                            HasSubstr("times as fast on one thread of a CPU")));
  EXPECT_EQ(lines_of(lesson("translations.tsv")).size(), 130U);
  EXPECT_EQ(lines_of(lesson("taught.source")), lines_of(read_file(source) + read_file(more)));
  // The teacher's translations of the sources, in their order.
  std::string translations = product(run_heed({"translate", toy.rnn, source})) +
                             product(run_heed({"translate", toy.rnn, more}));
  EXPECT_EQ(lesson("taught.target"), translations);
  EXPECT_EQ(lines_of(lesson("taught.align")).size(), 130U);
  EXPECT_THAT(lines_of(lesson("report.csv")).back(), MatchesRegex("student,[0-9.]+,.*"));
  product(run_heed({"translate", student, source}));  // with its shortlist, in int8

  // A table as before, though a row of it may be half written.
  const std::string whole = lesson("translations.tsv");
  std::ofstream(student + "/teaching/translations.tsv") << whole.substr(0, whole.size() / 2);
  fs::remove(student + "/teaching/taught.target");
  const subprocess::Result again = run_heed(all);
  EXPECT_THAT(again.err, HasSubstr("translations.tsv: continuing after line "));
  product(again);
  EXPECT_EQ(lesson("translations.tsv"), whole);
  EXPECT_EQ(lesson("taught.target"), translations);

  // The step that writes it is done again; other lessons need another folder.
  fs::remove(student + "/teaching/taught.source");
  product(run_heed(all));
  EXPECT_EQ(lines_of(lesson("taught.source")).size(), 130U);
  expect_mistake(run_heed(command({source})),
                 {"was begun with 'source: " + more, "another --output"});
}

TEST_F(Distill, NamesTheRowOfItsStateThatIsDamaged) {
  const std::string source = write_sources("one", 6);
  const std::vector<std::string> all = brief(command({source}));
  product(run_heed(all));
  const std::string whole = lesson("translations.tsv"),
                    file = student + "/teaching/translations.tsv";
  const auto rows = lines_of(whole);
  for (const std::string& row :
       {std::string("no tab"), std::string("\ta b"), std::string("1.5x\ta b"),
        std::string("nan\ta b"), std::string("1e999\ta b"), std::string(5000, '7') + "\ta b",
        std::string("0\ta\xff"), std::string(), std::string("\0\0\0", 3)}) {
    std::string text;
    for (std::size_t i = 0; i < rows.size(); ++i) text += (i == 3 ? row : rows[i]) + "\n";
    std::ofstream(file) << text;
    fs::remove(student + "/teaching/taught.target");
    expect_mistake(run_heed(all), {file + ":4: ", "head -n 3", "give the same command again"});
  }
  std::ofstream(file) << whole << rows[0] << "\n";
  expect_mistake(run_heed(all), {file + ": has 7 rows, and the sources have 6 lines; remove"});
  // The cure.
  std::ofstream(file) << whole.substr(0, whole.find(rows[3]));
  product(run_heed(all));
  EXPECT_EQ(lesson("translations.tsv"), whole);
}

TEST_F(Distill, TakesTheCandidateThatIsMostLikeTheReference) {
  // The test wants a translation that the teacher ranks second or lower.
  const std::string source = folder.write("s", "a b c\nc d e\n");
  const std::string second = split(lines_of(product(run_heed({"translate", toy.rnn, source,
                                                              "--n-best", "5", "--beam", "5"})))[3],
                                   '|')[3];
  const std::string wanted = second.substr(1, second.size() - 2);
  // After a mistake nothing stands in the way of the right command.
  const std::string reference = folder.write("r", wanted + "\n");
  expect_mistake(run_heed(command({source, "--reference", reference, "--candidates", "5"})),
                 {source + " has 2 lines", reference + " has 1"});
  EXPECT_FALSE(fs::exists(student));
  folder.write("r", wanted + "\ne d c\n");
  product(run_heed(brief(command({source, "--reference", reference, "--candidates", "5"}))));
  EXPECT_EQ(lines_of(lesson("taught.target")).front(), wanted);
}

TEST_F(Distill, LeavesOutTheWorstByTheReverseModel) {
  const std::string source = write_sources("one", 50);
  product(run_heed(brief(command({source, "--reverse", toy.transformer, "--worst", "0.2"}))));
  EXPECT_EQ(lines_of(lesson("taught.target")).size(), 40U);
  double worst_kept = 0;
  const auto kept = lines_of(lesson("taught.source"));
  std::vector<double> left_out;
  const auto sources = lines_of(read_file(source));
  const auto rows = lines_of(lesson("translations.tsv"));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double nats = std::stod(split(rows[i], '\t')[0]);
    if (std::ranges::count(kept, sources[i]) > 0)
      worst_kept = std::max(worst_kept, nats);
    else
      left_out.push_back(nats);
  }
  ASSERT_FALSE(left_out.empty());
  EXPECT_GT(std::ranges::min(left_out), worst_kept);
}

TEST_F(Distill, LeavesOutFirstWhatTheReverseModelCannotRead) {
  write_toy_pairs(folder, "train", 100, 1);
  folder.write("valid.src", "a b\n");
  folder.write("valid.tgt", "b a\n");
  // It reads three pieces; with so small a vocabulary a word of two letters is two.
  const std::string model =
      std::string(kTransformer).insert(1, "positions: learned, max_positions: 4, ");
  train_toy(write_toy_config(
      folder, {"reverse", model, "updates: 2", false, 1, "kind: joint, size: 25, algorithm: bpe"}));
  const std::string source = folder.write("s", "ab cd\nb c\nd e\nef gh\nf g\nc d\n");
  product(run_heed(brief(command({source, "--reverse", folder / "reverse", "--worst", "0.3"}))));
  EXPECT_THAT(lesson("translations.tsv"), StartsWith("inf\t"));
  EXPECT_EQ(lesson("taught.source"), "b c\nd e\nf g\nc d\n");
}

TEST_F(Distill, BeginsWithTheEncoderOfASmallTeacher) {
  write_toy_pairs(folder, "train", 100, 1);
  write_toy_pairs(folder, "valid", 5, 2);
  std::string model = kTransformer;  // with twice as many layers
  model.replace(model.find("encoder_layers: 2"), 17, "encoder_layers: 4");
  train_toy(write_toy_config(folder, {"teacher", model, "updates: 2"}));
  const std::string source = write_sources("one", 30), teacher = folder / "teacher";
  std::vector<std::string> all = brief(command({source}));
  all[1] = teacher;
  const subprocess::Result result = run_heed(all);
  product(result);
  EXPECT_THAT(result.err, HasSubstr("begins with embedding, output, encoder, source_positions of " +
                                    teacher + "\n"));
  all[3] += "2";
  all.insert(all.end(), {"--student", "model.heads=2"});
  const subprocess::Result another = run_heed(all);
  product(another);
  EXPECT_THAT(another.err, Not(HasSubstr("begins with")));
}

TEST_F(Distill, ChecksTheStudentBeforeItTranslates) {
  const std::string source = write_sources("one", 20);
  expect_mistake(run_heed(command({source, "--student", "model.nonsense=1"})),
                 {"--student model.nonsense: unknown key"});
  expect_mistake(run_heed(command({source, "--student", "output=" + (folder / "else")})),
                 {"--student output", "--output"});
  std::vector<std::string> all = command({source, "--set", "data.test.source=no.src"});
  expect_mistake(run_heed(all), {"data.test.source: no file 'no.src'"});
  EXPECT_FALSE(fs::exists(student));
  all.insert(all.end(), {"--student", "data.test={source: '', target: ''}"});
  const subprocess::Result result = run_heed(all);
  product(result);
  EXPECT_THAT(result.err, HasSubstr("no report: "));
}

TEST_F(Distill, RefusesWhatCannotBe) {
  const std::string source = folder.write("s", "a b\nb c\n");
  expect_mistake(run_heed(command({source, "--worst", "0.1"})), {"--reverse"});
  expect_mistake(run_heed(command({source, source, "--reference", source})),
                 {"given 1 time", "2 sources"});
  expect_mistake(run_heed(command({source, "--reference", folder.write("m", "b a\nc\nd\n")})),
                 {source + " has 2 lines", "/m has 3"});
  std::string latin1;
  for (int i = 0; i < 12; ++i) latin1 += "f\xFCr\n";
  expect_mistake(run_heed(command({folder.write("latin1", latin1)})), {"latin1:1: not UTF-8"});
  expect_mistake(run_heed(command({folder.write("both.tsv", "a\nb\tc\n")})),
                 {"both.tsv:2: has both sides"});
  expect_mistake(run_heed(command({"/dev/stdin"}), "a b\n"), {"/dev/stdin: can be read only once"});
  expect_mistake(run_heed({"distill", toy.rnn, source, "-o", toy.transformer}),
                 {"holds a model already"});
  EXPECT_FALSE(fs::exists(toy.transformer + "/teaching"));
  expect_mistake(run_heed(command({source, "--search", "mbr", "--reference", source})),
                 {"--search mbr", "--reference"});
}

}  // namespace
}  // namespace heed::cli
