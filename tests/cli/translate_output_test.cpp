// heed translate's output beside a translation, and translations that begin with a prefix.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using Lines = std::vector<std::string>;

class TranslateOutput : public testing::TestWithParam<const char*> {
 protected:
  const std::string model_ = Toy::get().folder / GetParam();
  const std::string test_ = Toy::get().folder / "test.src";

  Result translate(std::string_view input, Lines options = {}) const {
    options.insert(options.begin(), {"translate", model_});
    return run_heed(options, input);
  }
  std::vector<Lines> columns(std::string_view input, const Lines& options) const {
    std::vector<Lines> out;
    for (const std::string& line : lines_of(product(translate(input, options))))
      out.push_back(split(line, '\t'));
    return out;
  }
};

INSTANTIATE_TEST_SUITE_P(Models, TranslateOutput, testing::Values("rnn", "transformer"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(TranslateOutput, ScoresAreLogProbabilitiesOfTheSentenceAndOfEachWord) {
  const TemporaryFolder folder;
  const auto rows = columns("a b c\n\nd ef\n", {"--scores"});
  ASSERT_THAT(rows, SizeIs(3));
  EXPECT_THAT(rows[1], ElementsAre("0", "", ""));
  for (const std::size_t i : {0U, 2U}) {
    ASSERT_THAT(rows[i], SizeIs(3));
    const Lines words = split_words(rows[i][2]);
    EXPECT_THAT(words, SizeIs(split_words(rows[i][1]).size()));
    double sum = 0;
    for (const std::string& word : words) {
      EXPECT_LE(std::stod(word), 0);
      sum += std::stod(word);
    }
    EXPECT_LE(std::stod(rows[i][0]), sum + 1e-3);  // the end of sentence has its part
  }
  const std::string source = folder.write("s", "a b c\nd ef\n");
  const std::string target = folder.write("t", rows[0][1] + "\n" + rows[2][1] + "\n");
  const auto scores = lines_of(product(run_heed({"score", model_, source, target})));
  EXPECT_NEAR(std::stod(scores[0]), std::stod(rows[0][0]), 1e-3);
  EXPECT_NEAR(std::stod(scores[1]), std::stod(rows[2][0]), 1e-3);
}

TEST_P(TranslateOutput, AlignmentsAreThoseOfHeedAlign) {
  const TemporaryFolder folder;
  for (const Lines& weights :
       {Lines{}, Lines{"--layer", "last", "--aligned-step", "reads"}, Lines{"--head", "0"}}) {
    Lines options = weights;
    options.insert(options.end(), {test_, "--alignment"});
    std::string text, links;
    for (const Lines& row : columns("", options)) {
      ASSERT_THAT(row, SizeIs(2));
      text += row[0] + "\n";
      links += row[1] + "\n";
    }
    Lines align = {"align", model_, "--source", test_, "--target", folder.write("t", text)};
    align.insert(align.end(), weights.begin(), weights.end());
    EXPECT_EQ(links, product(run_heed(align)));
  }
}

TEST_P(TranslateOutput, JsonHasItAllInOneObjectALine) {
  const auto lines =
      lines_of(product(translate("a b c\n \n\"d\" e\n", {"--json", "--n-best", "2"})));
  ASSERT_THAT(lines, SizeIs(3));
  const auto rows = columns("a b c\n", {"--scores", "--alignment"});
  const json first = json::parse(lines[0]);
  EXPECT_EQ(first["source"], "a b c");
  EXPECT_EQ(first["translation"], rows[0][1]);
  EXPECT_NEAR(first["log_probability"].get<double>(), std::stod(rows[0][0]), 1e-3);
  Lines words;
  double sum = first["end"];
  for (const json& word : first["words"]) {
    words.push_back(word["word"]);
    sum += word["log_probability"].get<double>();
  }
  EXPECT_EQ(join(words, " "), first["translation"]);
  EXPECT_NEAR(sum, first["log_probability"].get<double>(), 1e-4);
  std::string links;
  for (const json& link : first["alignment"])
    links += (links.empty() ? "" : " ") + link[0].dump() + "-" + link[1].dump();
  EXPECT_EQ(links, rows[0][3]);
  EXPECT_EQ(first["cut"], false);
  ASSERT_THAT(first["n_best"], SizeIs(2));
  EXPECT_EQ(first["n_best"][0]["translation"], first["translation"]);
  EXPECT_EQ(first["n_best"][0]["words"], first["words"]);
  EXPECT_GE(first["n_best"][0]["score"].get<double>(), first["n_best"][1]["score"].get<double>());
  const json blank = json::parse(lines[1]);
  EXPECT_EQ(blank["source"], " ");
  EXPECT_EQ(blank["translation"], "");
  EXPECT_THAT(blank["words"], SizeIs(0));
  EXPECT_THAT(blank["n_best"], SizeIs(0));
  EXPECT_EQ(json::parse(lines[2])["source"], "\"d\" e");
}

TEST_P(TranslateOutput, NBestListsTellWordsAndLinksToo) {
  const auto lines =
      lines_of(product(translate("a b c\n", {"--n-best", "2", "--scores", "--alignment"})));
  ASSERT_THAT(lines, SizeIs(2));
  for (const std::string& line : lines) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at != std::string::npos;) {
      const std::size_t end = line.find(" ||| ", at);
      parts.push_back(line.substr(at, end - at));
      at = end == std::string::npos ? end : end + 5;
    }
    ASSERT_THAT(parts, SizeIs(5)) << line;
    const std::string after = parts[2].substr(parts[2].find("words= ") + 7);
    EXPECT_THAT(split_words(after), SizeIs(split_words(parts[1]).size()));
    EXPECT_THAT(parts[4], HasSubstr("-"));
  }
}

// More hypotheses than have their attention in memory at a time.
TEST_P(TranslateOutput, EachOfManyHypothesesHasItsOwnLinks) {
  const std::vector<std::string> options{"--n-best", "2", "--alignment"};
  const std::string both = "a b c\nd\n", of_both = product(translate(both, options));
  std::string input, expected;
  for (int i = 0; i < 35; ++i) input += both;
  const auto one = lines_of(of_both), many = lines_of(product(translate(input, options)));
  ASSERT_EQ(one.size(), 4U);
  ASSERT_EQ(many.size(), 140U);
  const auto links = [](const std::string& line) { return line.substr(line.rfind("|||")); };
  for (std::size_t i = 0; i < many.size(); ++i) EXPECT_EQ(links(many[i]), links(one[i % 4])) << i;
}

TEST_P(TranslateOutput, TranslationsBeginWithTheirPrefixes) {
  const TemporaryFolder folder;
  const std::string source = "a b c\n\nd e\nf g\n";
  const std::string prefixes = folder.write("p", "ij c\na\n\nß\n");
  const auto lines = lines_of(product(translate(source, {"--prefix", prefixes})));
  ASSERT_THAT(lines, SizeIs(4));
  EXPECT_THAT(lines[0], StartsWith("ij c"));
  EXPECT_EQ(lines[1], "");
  EXPECT_EQ(lines[2], lines_of(product(translate("d e\n"))).front());
  EXPECT_THAT(lines[3], StartsWith("ß"));  // which the vocabulary does not know
  const std::string table = "a b c\tij c\n\ta\nd e\nf g\tß\n";
  EXPECT_EQ(lines_of(product(translate(table, {"--prefix-column"}))), lines);
  const auto told = lines_of(product(translate(table, {"--prefix-column", "--json"})));
  EXPECT_EQ(json::parse(told[0])["source"], "a b c");
  EXPECT_EQ(json::parse(told[3])["words"][0]["word"].get<std::string>().substr(0, 2), "ß");
}

TEST(TranslatePrefix, MistakesNameFileAndLine) {
  const TemporaryFolder folder;
  const std::string model = Toy::get().rnn, source = folder.write("s", "a\nb\nc\n");
  const std::string few = folder.write("few", "a\nb\n"), many = folder.write("many", "a\n\n\nd\n");
  expect_mistake(run_heed({"translate", model, source, "--prefix", few}),
                 {few, "ends after line 2", source + ":3"});
  expect_mistake(run_heed({"translate", model, source, "--prefix", many}),
                 {many + ":4", source, "ends after line 3"});
  expect_mistake(run_heed({"translate", model, "--prefix-column"}, "a\tb\nc\td\te\n"),
                 {"stdin:2", "3 columns"});
  expect_mistake(run_heed({"translate", model, "--prefix", "-"}, "a\n"),
                 {"--prefix -", "name a file"});
  expect_mistake(run_heed({"translate", model, source, "--prefix", folder / "nowhere"}),
                 {folder / "nowhere"});
  EXPECT_EQ(run_heed({"translate", model, source, "--prefix", few, "--prefix-column"}).status, 2);
}

TEST(TranslatePrefix, TheFormerNameOfTheOptionIsUnderstoodWithAWarning) {
  const std::string model = Toy::get().rnn, table = "a b c\tij c\n";
  const Result former = run_heed({"translate", model, "--tsv"}, table);
  EXPECT_EQ(product(former), product(run_heed({"translate", model, "--prefix-column"}, table)));
  EXPECT_THAT(former.err, HasSubstr("translate --tsv: the name of this option is --prefix-column"));
  EXPECT_THAT(product(run_heed({"translate", "--help"})),
              testing::AllOf(HasSubstr("--prefix-column"), Not(HasSubstr("--tsv"))));
  const Result both = run_heed({"translate", model, "--tsv", "--prefix", "/dev/null"});
  EXPECT_EQ(both.status, 2);
  EXPECT_THAT(both.err, HasSubstr("--prefix-column (once --tsv) does not go with --prefix"));
}

TEST_P(TranslateOutput, TextOfTheCommandLineIsLines) {
  const std::string text = product(translate("a b c\n\nd ef\n"));
  const std::string model = Toy::get().folder / GetParam();
  EXPECT_EQ(product(run_heed({"translate", model, "--text", "a b c\n\nd ef"})), text);
  EXPECT_EQ(product(run_heed(
                {"translate", model, "--text", "a b c\n", "--text", "\n", "--text", "d ef"})),
            text);
  const TemporaryFolder folder;
  expect_mistake(run_heed({"translate", model, folder.write("a", "a\n"), "--text", "a"}),
                 {"--text"});
  const json told = json::parse(product(run_heed({"translate", model, "--text", "a b", "--json"})));
  EXPECT_EQ(told["source"], "a b");
  EXPECT_EQ(product(run_heed({"translate", model, "--text", "a <b>a</b>", "--markup", "html"})),
            product(translate("a <b>a</b>\n", {"--markup", "html"})));
  expect_mistake(run_heed({"translate", model, "--text", "a <b", "--markup", "html"}),
                 {"--text:1"});
}

TEST(TranslatePrefix, PairsWithoutTheOptionAreTranslatedWithAWarning) {
  const TemporaryFolder folder;
  const std::string pairs = "a b\nc\td\ne\tf\n";
  const std::string tsv = folder.write("c.tsv", pairs), text = folder.write("c.txt", pairs);
  const Result warned = run_heed({"translate", Toy::get().rnn, tsv});
  EXPECT_EQ(product(warned), product(run_heed({"translate", Toy::get().rnn, text})));
  EXPECT_THAT(warned.err, HasSubstr(tsv + ":2: has a tab, and the text after it is translated"));
  EXPECT_THAT(warned.err, Not(HasSubstr(tsv + ":3")));
  for (const Lines& options : {Lines{tsv, "--prefix-column"}, Lines{text}}) {
    Lines command = {"translate", Toy::get().rnn};
    command.insert(command.end(), options.begin(), options.end());
    EXPECT_THAT(run_heed(command).err, Not(HasSubstr("has a tab")));
  }
}

TEST(TranslateUnknown, PiecesBecomeTheSourceWordThatTheyAttendTo) {
  const Lines sample = {"translate", Toy::get().rnn,
                        "--set",     "decoding.sampling.top_p=1",
                        "--set",     "decoding.sampling.temperature=100"};
  Lines replaced = sample;
  replaced.push_back("--replace-unknown");
  std::string input;
  for (int i = 0; i < 40; ++i) input += "i ß, h\n";
  const std::string with = product(run_heed(sample, input));
  const auto before = lines_of(with), after = lines_of(product(run_heed(replaced, input)));
  ASSERT_THAT(after, SizeIs(40));
  const std::string mark = "\u2047";
  EXPECT_THAT(with, HasSubstr(mark));
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(after[i].find("\u2047"), std::string::npos);
    const std::size_t at = before[i].find(mark);
    if (at == std::string::npos) {
      EXPECT_EQ(after[i], before[i]);
      continue;
    }
    // What is before the first one stands as it was, and then comes a word of the source.
    EXPECT_EQ(after[i].substr(0, at), before[i].substr(0, at));
    const std::string rest = after[i].substr(at);
    EXPECT_TRUE(rest.starts_with("i") || rest.starts_with("ß") || rest.starts_with("h"))
        << before[i] << "\n"
        << after[i];
  }
}

TEST(TranslateUnknown, AWordOfBytePiecesIsTheWord) {
  const TemporaryFolder folder;
  write_toy_pairs(folder, "train", 100, 1);
  write_toy_pairs(folder, "valid", 10, 2);
  product(run_heed({"vocab", folder / "train.src", "--size", "290", "--algorithm", "bpe",
                    "--byte-fallback", "-o", folder / "bytes.spm"}));
  product(run_heed({"vocab", folder / "train.tgt", "--size", "30", "--algorithm", "bpe", "-o",
                    folder / "plain.spm"}));
  train_toy(
      write_toy_config(folder, {.name = "bytes",
                                .model = kRnn,
                                .training = "updates: 1",
                                .vocabulary = "kind: separate, source: " + (folder / "bytes.spm") +
                                              ", target: " + (folder / "plain.spm")}));
  std::string input;
  for (int i = 0; i < 40; ++i) input += "(\u2603)\n";
  const std::string out =
      product(run_heed({"translate", folder / "bytes", "--replace-unknown", "--set",
                        "decoding.sampling.top_p=1", "--set", "decoding.sampling.temperature=100"},
                       input));
  EXPECT_THAT(out, HasSubstr("\u2603"));
  EXPECT_THAT(out, Not(HasSubstr("0x")));
}

TEST(TranslateUnknown, AModelWithoutAttentionCannotTell) {
  const TemporaryFolder folder;
  write_toy_pairs(folder, "train", 100, 1);
  write_toy_pairs(folder, "valid", 10, 2);
  train_toy(write_toy_config(folder, {"none", kNone, "updates: 1"}));
  for (const std::string option : {"--replace-unknown", "--alignment"})
    expect_mistake(run_heed({"translate", folder / "none", option}, "a\n"),
                   {folder / "none", option, "model.attention: none"});
  const json told = json::parse(product(run_heed({"translate", folder / "none", "--json"}, "a\n")));
  EXPECT_FALSE(told.contains("alignment"));
  EXPECT_TRUE(told.contains("words"));
}

TEST(TranslateMbr, ChoosesAmongTheBestOfTheBeamOrAmongDraws) {
  const Lines beam = {"translate", Toy::get().rnn,   Toy::get().folder / "test.src",
                      "--set",     "decoding.mbr=5", "--n-best",
                      "2"};
  for (const std::string& line : lines_of(product(run_heed(beam)))) {
    const double score = std::stod(line.substr(line.rfind(' ')));
    EXPECT_GE(score, 0) << line;  // an expected chrF
    EXPECT_LE(score, 100) << line;
  }
  Lines draws = beam;
  draws.insert(draws.end(), {"--set", "decoding.mbr=9", "--set", "decoding.sampling.top_p=1"});
  EXPECT_EQ(product(run_heed(draws)), product(run_heed(draws)));
  Lines threads = draws;
  threads.insert(threads.end(), {"--set", "threads=3"});
  EXPECT_EQ(product(run_heed(threads)), product(run_heed(draws)));
  expect_mistake(run_heed({"translate", Toy::get().rnn, "--set", "decoding.mbr=9"}, "a\n"),
                 {"decoding.mbr: got 9", "decoding.beam_size"});
}

/// heed between two pipes, as a program that asks and waits for the answer has it.
class Conversation {
 public:
  explicit Conversation(const Lines& arguments) {
    int in[2], out[2];
    if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0)
      throw std::runtime_error("pipe");
    const Lines words = command(arguments);
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    process_ = ::fork();
    if (process_ == 0) {
      ::dup2(in[0], STDIN_FILENO);
      ::dup2(out[1], STDOUT_FILENO);
      ::execv(argv[0], argv.data());
      ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    to_ = in[1];
    from_ = out[0];
  }
  ~Conversation() {
    end();
    ::close(from_);
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  void say(std::string_view text) const {
    EXPECT_EQ(::write(to_, text.data(), text.size()), std::ssize(text));
  }
  void end() {
    if (to_ >= 0) ::close(to_);
    to_ = -1;
  }
  /// The next line with its line feed; what there is of it where none comes within a minute.
  std::string hear() const {
    std::string line;
    while (!line.ends_with('\n')) {
      pollfd ready{.fd = from_, .events = POLLIN, .revents = 0};
      char c = 0;
      if (::poll(&ready, 1, 60'000) != 1 || ::read(from_, &c, 1) != 1) break;
      line += c;
    }
    return line;
  }

 private:
  int process_ = 0, to_ = -1, from_ = -1;
};

TEST(TranslatePipe, EachLineIsAnsweredBeforeTheNextIsAsked) {
  Conversation heed({"translate", Toy::get().rnn});
  heed.say("a b c\n");
  EXPECT_EQ(heed.hear(), "c b a\n");
  heed.say("c d\n\n");
  EXPECT_EQ(heed.hear(), "d c\n");
  EXPECT_EQ(heed.hear(), "\n");
  heed.say("a b\nc d");  // half a line waits for its other half
  EXPECT_EQ(heed.hear(), "b a\n");
  heed.say(" e\n");
  EXPECT_EQ(heed.hear(), "e d c\n");
  heed.say("a b");
  heed.end();
  EXPECT_EQ(heed.hear(), "b a\n");
  EXPECT_EQ(heed.hear(), "");
}

/// heed translates into a pipe with a name, which the shell command `reader` knows as $0. What the
/// reader prints is standard output; 124 is the status where both have not ended within a minute.
Result translate_to_fifo(const std::string& reader, std::string_view input,
                         const Lines& options = {}) {
  const TemporaryFolder folder;
  const std::string fifo = folder / "fifo";
  EXPECT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  Lines words = command({"translate", Toy::get().rnn, "--beam", "1", "-o", fifo});
  words.insert(words.end(), options.begin(), options.end());
  const std::string script = "(" + reader + ") & \"$@\"; status=$?; wait; exit $status";
  words.insert(words.begin(), {"timeout", "60", "sh", "-c", script, fifo});
  return subprocess::run(words, input);
}

TEST(TranslateFifo, AReaderThatComesLateGetsEveryLine) {
  const Result result = translate_to_fifo("sleep 0.3; cat \"$0\"", "a b c\nc d\n");
  EXPECT_THAT(lines_of(product(result)), ElementsAre("c b a", "d c"));
}

TEST(TranslateFifo, AReaderThatLeavesEndsTheProgram) {
  std::string input;
  for (int i = 0; i < 400; ++i) input += "a b c d e f\n";
  // The output as JSON is more than a pipe holds.
  EXPECT_EQ(translate_to_fifo(": < \"$0\"", input, {"--json"}).status, 128 + SIGPIPE);
}

TEST(TranslateFifo, IsNotContinuedAndNotWaitedFor) {
  expect_mistake(translate_to_fifo("true", "a\n", {"--resume"}),
                 {"fifo is no file that can be continued"});
}

}  // namespace
}  // namespace heed::cli
