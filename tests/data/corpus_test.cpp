#include "data/corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "compressed.h"
#include "data/batch.h"
#include "data/corpus_reader.h"
#include "data/example.h"
#include "message.h"
#include "temporary_folder.h"

namespace heed::data {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

/// A vocabulary with a piece for each letter and few others: "abc" is about four pieces.
class CorpusRead : public testing::Test {
 protected:
  CorpusFiles files(const std::string& source, const std::string& target, double weight = 1) {
    ++written_;
    CorpusFiles files;
    files.source = folder.write(std::to_string(written_) + ".de", source);
    files.target = folder.write(std::to_string(written_) + ".en", target);
    files.weight = weight;
    return files;
  }
  Corpus read(const std::vector<CorpusFiles>& list, const CorpusReading& reading = {}) {
    return read_corpus(list, letters, letters, reading);
  }

  TemporaryFolder folder;
  text::Vocabulary letters = text::train_vocabulary(
      {.files = {folder.write("letters", "a b c d e f g h\nh g f e d c b a\n")},
       .size = 13,
       .algorithm = "bpe"});
  int written_ = 0;
};

TEST_F(CorpusRead, HoldsThePairsInOrder) {
  const Corpus corpus = read({files("a\nb c\nd\n", "e\nf\ng h\n")});
  ASSERT_EQ(corpus.size(), 3);
  EXPECT_EQ(corpus.example(1).source, letters.encode("b c"));
  EXPECT_EQ(corpus.example(2).target, letters.encode("g h"));
  EXPECT_EQ(corpus.source_length(1), 4);  // blank, b, blank, c
  EXPECT_EQ(corpus.example(2).origin.line, 3);
  EXPECT_EQ(corpus.example(2).origin.index, 2);
  EXPECT_EQ(corpus.source_pieces(), 8);
}

TEST_F(CorpusRead, ATsvFileIsThePairOfFiles) {
  const Corpus two = read({files("a\nb c\nd\n", "e\nf\ng h\n")});
  const std::string lines = "a\te\nb c\tf\nd\tg h\n";
  for (const std::string& bytes : {lines, gzip(lines), zstd(lines)}) {
    CorpusFiles one;
    one.source = folder.write("pairs.tsv", bytes);
    const Corpus corpus = read({one});
    EXPECT_EQ(corpus.fingerprint(), two.fingerprint());
    EXPECT_EQ(corpus.example(2).origin.line, 3);
    EXPECT_THAT(corpus.report(), testing::StartsWith(one.source + ": 3 of 3 pairs"));
  }
}

TEST_F(CorpusRead, TheSidesOfATranslationMemoryAreThePairOfFiles) {
  const Corpus two = read({files("a\nb c\n\nd\n", "e\nf\nh\ng h\n")});
  const auto unit = [](const std::string& source, const std::string& target) {
    const auto variant = [](const char* language, const std::string& text) {
      return text.empty()
                 ? ""
                 : std::string("<tuv xml:lang=\"") + language + "\"><seg>" + text + "</seg></tuv>";
    };
    return "<tu>" + variant("en-GB", target) + variant("de", source) + "</tu>\n";
  };
  CorpusFiles one;
  one.source = folder.write(
      "m.tmx.gz", gzip("<tmx version=\"1.4\"><header/><body>\n" + unit("a", "e") +
                       unit("b c", "f") + unit("", "h") + unit("d", "g h") + "</body></tmx>\n"));
  one.target = one.source + "#en";
  one.source += "#de";
  const Corpus corpus = read({one});
  EXPECT_EQ(corpus.fingerprint(), two.fingerprint());
  EXPECT_EQ(corpus.example(2).origin.line, 4);
  EXPECT_THAT(corpus.report(), HasSubstr("3 of 4 pairs"));
  EXPECT_THAT(corpus.report(), HasSubstr("m.tmx.gz#de"));
}

TEST_F(CorpusRead, ALineOfATsvFileHasOneTab) {
  CorpusFiles one;
  one.source = folder.write("pairs.tsv", "a\te\nb c\nd\tg h\n");
  EXPECT_EQ(message_of<UserError>([&] { read({one}); }),
            one.source + ":2: no TAB; each line of a corpus in one file is source TAB target");
  folder.write("pairs.tsv", "a\te\nb\tc\td\n");
  EXPECT_EQ(message_of<UserError>([&] { read({one}); }),
            one.source +
                ":2: 2 TABs; each line of a corpus in one file is source TAB target; "
                "the first two columns alone: cut -f1,2 < " +
                one.source + " > NEW.tsv");
  folder.write("pairs.tsv", "");
  EXPECT_EQ(message_of<UserError>([&] { read({one}); }),
            one.source + " is empty; expected one sentence a line");
}

TEST_F(CorpusRead, ATagStandsBeforeEverySourceLine) {
  letters = text::train_vocabulary(
      {.files = {folder.write("letters", "a b c d e f g h\nh g f e d c b a\n")},
       .size = 14,
       .algorithm = "bpe",
       .symbols = {"<bt>"}});
  CorpusFiles plain = files("a\n\nb c\n", "e\nf\ng h\n"), tagged = plain;
  tagged.tag = "<bt>";
  const Corpus corpus = read({plain, tagged}, {.keep_text = true});
  ASSERT_EQ(corpus.size(), 4);  // a blank line stays one
  for (const int64_t i : {0, 1}) {
    auto source = corpus.example(i).source;
    source.insert(source.begin(), 4);
    EXPECT_EQ(corpus.example(i + 2).source, source);
    EXPECT_EQ(corpus.sample(i + 2, 0.5, 1).source.front(), 4);
    EXPECT_EQ(corpus.example(i + 2).target, corpus.example(i).target);
  }
  tagged.tag = "<noisy>";
  EXPECT_THAT(message_of<UserError>([&] { read({tagged}); }),
              testing::StartsWith("data.train.tag: the vocabulary has no user-defined symbol "
                                  "'<noisy>'; heed vocab TEXT --extend"));
}

TEST_F(CorpusRead, DoesNotDependOnThreadsOrCompression) {
  std::string source, target;
  for (int i = 0; i < 40007; ++i) {
    source += std::string(1, static_cast<char>('a' + i % 8)) + (i % 3 ? " b" : "") + "\n";
    target += std::string(1, static_cast<char>('a' + i % 7)) + (i % 5 ? "" : " c d") + "\n";
  }
  const Corpus plain = read({files(source, target)});
  const Corpus packed = read({files(gzip(source), zstd(target))}, {.threads = 5});
  EXPECT_EQ(plain.size(), 40007);
  EXPECT_EQ(plain.fingerprint(), packed.fingerprint());
  EXPECT_EQ(plain.example(40006).source, letters.encode("g b"));
  EXPECT_EQ(packed.example(40006).source, letters.encode("g b"));
}

TEST_F(CorpusRead, IsTheSameFromTheScratchFolder) {
  std::string source, target;
  for (int i = 0; i < 60007; ++i) {
    source += std::string(1, static_cast<char>('a' + i % 8)) + " b c d\n";
    target += std::string(1, static_cast<char>('a' + i % 7)) + " e f g h\n";
  }
  const CorpusFiles both = files(source, target);
  const Corpus memory = read({both}, {.keep_text = true});
  const Corpus disk = read({both}, {.keep_text = true, .scratch = folder.path()});
  EXPECT_EQ(memory.on_disk(), 0);
  EXPECT_GT(disk.on_disk(), std::size_t{1} << 20);
  EXPECT_EQ(disk.fingerprint(), memory.fingerprint());
  for (const int64_t i : {0, 31, 40006, 60006}) {
    EXPECT_EQ(disk.example(i).target, memory.example(i).target);
    EXPECT_EQ(disk.example(i).origin.line, i + 1);
    EXPECT_EQ(disk.sample(i, 0.1, 7).source, memory.sample(i, 0.1, 7).source);
  }
}

TEST_F(CorpusRead, IsMappedByAnotherProcess) {
  const CorpusFiles both = files("a\nb c\nd\n", "e f\ng\nh a\n");
  const Corpus read_here =
      read({both, both}, {.keep_text = true, .scratch = {folder.path(), /*for_others=*/true}});
  const Corpus mapped = Corpus::at(read_here.address(), letters, letters);
  EXPECT_EQ(mapped.size(), 6);
  EXPECT_EQ(mapped.fingerprint(), read_here.fingerprint());
  EXPECT_EQ(mapped.parts().size(), 2U);
  for (int64_t i = 0; i < 6; ++i) {
    EXPECT_EQ(mapped.example(i).source, read_here.example(i).source);
    EXPECT_EQ(mapped.example(i).target, read_here.example(i).target);
    EXPECT_EQ(mapped.example(i).origin.line, read_here.example(i).origin.line);
    EXPECT_EQ(mapped.sample(i, 0.1, 7).source, read_here.sample(i, 0.1, 7).source);
  }
}

TEST_F(CorpusRead, CleansLines) {
  const Corpus corpus =
      read({files("\xEF\xBB\xBF"
                  "a\r\nb\r\n",
                  "c\nd\n")});
  EXPECT_EQ(corpus.example(0).source, letters.encode("a"));
  EXPECT_EQ(corpus.example(1).source, letters.encode("b"));
}

TEST_F(CorpusRead, LeavesOutBlankPairsAndNamesTheirLines) {
  const Corpus corpus = read({files("a\n\n \t\nb\nc\n", "a\nb\nc\n\r\nd\n")});
  EXPECT_EQ(corpus.size(), 2);
  EXPECT_EQ(corpus.example(1).origin.line, 5);
  EXPECT_EQ(corpus.example(1).origin.index, 1);
  const CorpusReport& report = corpus.reports().at(0);
  EXPECT_EQ(corpus.report(), report.source + " + " + report.target +
                                 ": 2 of 5 pairs, 4 + 4 pieces\n"
                                 "  left out, a side is blank: 3 (lines 2, 3, 4)");
}

TEST_F(CorpusRead, WarnsOfLinesThatAreNotUtf8) {
  const CorpusFiles pair = files("a\n\xE4 b\nc\n", "a\nb\xFF\n\xFF\n");
  log::add_file(folder / "log");
  read({pair});
  log::close_files();
  const std::string written = read_file(folder / "log");
  EXPECT_THAT(written,
              HasSubstr(pair.source + ": lines that are not UTF-8: 1, the first is line 2"));
  EXPECT_THAT(written,
              HasSubstr(pair.target + ": lines that are not UTF-8: 2, the first is line 2"));
}

TEST_F(CorpusRead, RefusesAFileInLatin1WithTheCure) {
  std::string latin1, text;
  for (int i = 0; i < 11; ++i) {
    latin1 += "a\na \xE4\n";
    text += "a\nb\n";
  }
  const CorpusFiles pair = files(text, latin1);
  EXPECT_EQ(message_of<UserError>([&] { read({pair}); }),
            pair.target +
                ":2: not UTF-8, like 11 of the 11 lines with letters beyond ASCII; if it "
                "is of Western Europe, convert it: iconv -f WINDOWS-1252 -t UTF-8 " +
                pair.target + " > NEW");
}

TEST_F(CorpusRead, CountsUnknownCharacters) {
  const Corpus corpus = read({files("a\nÖ b\n", "a\nb\n")});
  EXPECT_THAT(corpus.report(), HasSubstr("2 of 2 pairs, 6 + 4 pieces, 1 + 0 of them unknown"));
}

TEST_F(CorpusRead, DropsLongPairsAndSaysWhich) {
  std::string source, target;
  for (int line = 1; line <= 14; ++line) {
    source += line % 7 == 0 ? "a\n" : "a b c\n";
    target += "d\n";
  }
  const Corpus corpus = read({files(source, target)}, {.max_length = 4});
  EXPECT_EQ(corpus.size(), 2);
  EXPECT_THAT(corpus.report(),
              HasSubstr("\n  left out, longer than 4 pieces: 12 (lines 1, 2, 3, 4, 5, 6, 8, 9, 10, "
                        "11 and 2 more)"));
}

TEST_F(CorpusRead, LeavesOutPairsOfTooManyWordsOnEitherSide) {
  const CorpusFiles pair = files("a b c\na b c d\na b\n a  b \xC2\xA0 c \n", "d\nd\na b c d\na\n");
  const Corpus corpus = read({pair}, {.long_sentences = LongSentences::truncate, .max_words = 3});
  ASSERT_EQ(corpus.size(), 2);
  EXPECT_EQ(corpus.example(0).source, letters.encode("a b c"));
  EXPECT_EQ(corpus.example(1).target, letters.encode("a"));
  EXPECT_THAT(corpus.report(),
              HasSubstr("\n  left out, more than data.max_words = 3: 2 (lines 2, 3)"));
  EXPECT_THAT(message_of<UserError>([&] { read({files("a b\n", "a\n")}, {.max_words = 1}); }),
              EndsWith(": 0 of 1 pairs, 0 + 0 pieces\n"
                       "  left out, more than data.max_words = 1: 1 (line 1)"));
}

TEST_F(CorpusRead, CutsLongPairsWhereToldTo) {
  const Corpus corpus = read({files("a b c\nd\n", "a\na b c d\n")},
                             {.max_length = 3, .long_sentences = LongSentences::truncate});
  const auto whole = letters.encode("a b c");
  EXPECT_EQ(corpus.example(0).source, std::vector<int32_t>(whole.begin(), whole.begin() + 3));
  EXPECT_EQ(corpus.example(0).target, letters.encode("a"));
  EXPECT_EQ(corpus.target_length(1), 3);
  EXPECT_THAT(corpus.report(), HasSubstr("\n  cut to 3 pieces: 2 (lines 1, 2)"));
}

TEST_F(CorpusRead, RefusesLongPairsWhereToldTo) {
  const CorpusFiles pair = files("a\nb\n", "a\na b c d\n");
  EXPECT_EQ(message_of<UserError>(
                [&] { read({pair}, {.max_length = 4, .long_sentences = LongSentences::error}); }),
            pair.target +
                ":2: 8 pieces, more than the 4 that data.max_length allows; raise it, or set "
                "data.long_sentences, for training data, to drop or truncate");
}

TEST_F(CorpusRead, FilesOfDifferentLengthAreNamedWithTheirCounts) {
  const CorpusFiles pair = files("a\nb\nc\n", "a\nb\nc\nd\ne\n");
  EXPECT_EQ(message_of<UserError>([&] { read({pair}); }),
            pair.source + " has 3 lines and " + pair.target +
                " has 5; line i of one must be the translation of line i of the other");
}

struct Cleaned {
  const char* flaw;
  std::vector<int64_t> lines;  // left out of the corpus below
};

class CorpusCleaned : public CorpusRead, public testing::WithParamInterface<Cleaned> {};

TEST_P(CorpusCleaned, LeavesOutWhatIsAskedForAndCountsIt) {
  DataConfig config;
  config.train = {files("a b c\na  b c \na\nh\nж\na \uFFFD\na\n\ne\na b c\n",
                        "a b d\na b d\na\na\na\nb\na b c d e f\na\nf\na b e\n")};
  config.valid = files("e\n", "g\n");
  config.test = files("g\n", "a b e\n");
  config.more_valid = {files("h\n", "h\n")};  // of a source of the corpus, and no overlap
  config.clean = {GetParam().flaw};
  config.clean_ratio = 5;
  const Corpus corpus = read(config.train, {.cleaning = cleaning_of(config)});
  std::vector<int64_t> left = {1, 2, 3, 4, 5, 6, 7, 9, 10};  // never 8, which has a blank side
  for (const int64_t line : GetParam().lines) std::erase(left, line);
  std::vector<int64_t> lines;
  for (int64_t i = 0; i < corpus.size(); ++i) lines.push_back(corpus.example(i).origin.line);
  EXPECT_EQ(lines, left);
  EXPECT_THAT(corpus.report(), HasSubstr("a side is blank: 1 (line 8)"));
  const CorpusReport& report = corpus.reports().at(0);
  for (std::size_t i = 0; i < kFlaws; ++i)
    EXPECT_EQ(report.cleaned[i].lines,
              flaw_names()[i] == GetParam().flaw ? GetParam().lines : std::vector<int64_t>{});
}

INSTANTIATE_TEST_SUITE_P(Flaws, CorpusCleaned,
                         testing::Values(Cleaned{"duplicates", {2}}, Cleaned{"empty", {}},
                                         Cleaned{"identical", {3}}, Cleaned{"overlap", {9, 10}},
                                         Cleaned{"ratio", {7}}, Cleaned{"script", {5}},
                                         Cleaned{"encoding", {6}}),
                         [](const auto& info) { return std::string(info.param.flaw); });

TEST_F(CorpusRead, IsNotCleanedUnlessAsked) {
  const CorpusFiles pair = files("a\na\nb\n", "a\na\nc d e f g h\n");
  EXPECT_EQ(read({pair}, {.cleaning = cleaning_of(DataConfig{})}).size(), 3);
}

TEST_F(CorpusRead, SaysWhatWasCleanedAway) {
  DataConfig config;
  config.clean = {"duplicates", "ratio"};
  config.clean_ratio = 2.5;
  const Corpus corpus = read({files("a\na\nb\n", "a\na\nc d e\n"), files("a\nb\n", "a\nc\n")},
                             {.cleaning = cleaning_of(config)});
  EXPECT_EQ(corpus.size(), 2);
  EXPECT_THAT(corpus.report(),
              HasSubstr("1 of 3 pairs, 2 + 2 pieces\n"
                        "  left out, the same as an earlier pair: 1 (line 2)\n"
                        "  left out, a side has more than 2.5 times the characters of the other: "
                        "1 (line 3)\n"));
  EXPECT_THAT(corpus.report(), HasSubstr("1 of 2 pairs, 2 + 2 pieces\n"
                                         "  left out, the same as an earlier pair: 1 (line 1)"));
}

TEST_F(CorpusRead, EmptyFilesAreNamed) {
  const CorpusFiles none = files("", ""), half = files("a\n", "");
  EXPECT_EQ(message_of<UserError>([&] { read({none}); }),
            none.source + " is empty; expected one sentence a line");
  EXPECT_EQ(message_of<UserError>([&] { read({half}); }),
            half.target + " is empty; expected one sentence a line");
}

TEST_F(CorpusRead, AMissingFileIsNamed) {
  CorpusFiles pair = files("a\n", "a\n");
  pair.target = folder / "none.en";
  EXPECT_THAT(message_of<UserError>([&] { read({pair}); }),
              HasSubstr("target sentences: no file '" + pair.target + "'"));
}

TEST_F(CorpusRead, NothingLeftIsAnErrorWithTheReport) {
  const CorpusFiles pair = files("a b c\n\n", "a\nb\n");
  EXPECT_EQ(message_of<UserError>([&] { read({pair}, {.max_length = 2}); }),
            "no sentence pair is left to use: " + pair.source + " + " + pair.target +
                ": 0 of 2 pairs, 0 + 0 pieces\n"
                "  left out, a side is blank: 1 (line 2)\n"
                "  left out, longer than 2 pieces: 1 (line 1); see data.max_length");
}

TEST_F(CorpusRead, OfOneLineWorks) {
  EXPECT_EQ(read({files("a", "b")}).size(), 1);
}

TEST_F(CorpusRead, SeveralCorporaAreParts) {
  const Corpus corpus = read({files("a\nb\n", "c\nd\n", 2), files("e\n", "f\n", 0.5)});
  ASSERT_EQ(corpus.parts().size(), 2U);
  EXPECT_EQ(corpus.parts()[1].begin, 2);
  EXPECT_EQ(corpus.parts()[1].end, 3);
  EXPECT_EQ(corpus.parts()[1].weight, 0.5);
  EXPECT_EQ(corpus.example(2).origin.corpus, 1);
  EXPECT_EQ(corpus.example(2).origin.line, 1);
  EXPECT_EQ(corpus.reports().size(), 2U);
}

TEST_F(CorpusRead, SamplesKeepTheTextAndTheLimit) {
  const std::string text = folder.write("words", "abcab abcab abcab\nabc abcab\n");
  const auto words = text::train_vocabulary({.files = {text}, .size = 12, .algorithm = "bpe"});
  const CorpusFiles pair = files("abcab abc\n", "abcab\n");
  const Corpus with = read_corpus({pair}, words, words, {.keep_text = true});
  bool differs = false;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Example drawn = with.sample(0, 0.5, seed);
    EXPECT_EQ(words.decode(drawn.source), "abcab abc");
    EXPECT_EQ(words.decode(drawn.target), "abcab");
    EXPECT_EQ(drawn.source, with.sample(0, 0.5, seed).source);
    differs = differs || drawn.source != with.example(0).source;
  }
  EXPECT_TRUE(differs);
  const int64_t limit = static_cast<int64_t>(words.encode("abcab abc").size());
  const Corpus tight = read_corpus({pair}, words, words, {.max_length = limit, .keep_text = true});
  for (uint64_t seed = 0; seed < 20; ++seed)
    EXPECT_LE(static_cast<int64_t>(tight.sample(0, 0.9, seed).source.size()), limit);
  EXPECT_EQ(read_corpus({pair}, words, words, {}).sample(0, 0.9, 1).source,
            words.encode("abcab abc"));
}

TEST(Ids, FitEverySizeOfVocabulary) {
  for (const int64_t vocabulary : {65536, 65537}) {
    Ids sequences(vocabulary);
    sequences.append(std::vector<int32_t>{1, static_cast<int32_t>(vocabulary - 1)});
    sequences.append(std::vector<int32_t>{});
    sequences.append(std::vector<int32_t>{7, 8, 9});
    sequences.seal();
    EXPECT_EQ(sequences.size(), 3);
    EXPECT_EQ(sequences.total(), 5);
    EXPECT_THAT(sequences[0], ElementsAre(1, vocabulary - 1));
    EXPECT_THAT(sequences[1], ElementsAre());
    EXPECT_THAT(sequences[2], ElementsAre(7, 8, 9));
  }
}

}  // namespace
}  // namespace heed::data
