#include "text/vocabulary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <thread>

#include "base/error.h"
#include "base/files.h"
#include "compressed.h"
#include "message.h"
#include "temporary_folder.h"
#include "text/tsv.h"
#include "text/vocabulary_training.h"

namespace heed::text {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

const std::vector<std::string> kSentences = {
    "Ein Mann fährt auf dem Fahrrad durch die Straße.",
    "Zwei Hunde spielen im Schnee, während Kinder zusehen.",
    "Die alte Frau öffnet das Fenster und grüßt fröhlich.",
    "Собака бежит по снегу за мячом.",
    "Старый человек читает газету у окна.",
    "两只狗在雪地里玩，孩子们看着。",
    "老人在窗边看报纸……好吗？",
    "Great 🚲 ride today 😀👍🏽!",
};

std::string corpus() {
  std::string text;
  for (const std::string& sentence : kSentences)
    for (int i = 0; i < 3; ++i) text += sentence + "\n";
  // Words in company of others, so that there are pieces to choose from.
  const std::vector<std::string> words = {"Mann", "fährt", "Fahrrad", "Straße", "Hunde", "Schnee"};
  for (const std::string& a : words)
    for (const std::string& b : words) text += a + b + " " + b + "\n";
  return text;
}

Vocabulary train(const std::string& path, const std::string& algorithm, int64_t size = 125) {
  return train_vocabulary({.files = {path}, .size = size, .algorithm = algorithm});
}

class VocabularyOf : public testing::TestWithParam<const char*> {};

// SentencePiece's trainer ends the process over such lines.
TEST_P(VocabularyOf, IsTrainedOnRunsOfAnyLength) {
  const TemporaryFolder folder;
  std::string run;
  std::mt19937 random(1);
  for (int i = 0; i < 200'000; ++i) {  // one of 2048 characters from U+5000 on
    const auto which = static_cast<unsigned>(random() % 2048);
    run += {'\xE5', static_cast<char>(0x80 + which / 64), static_cast<char>(0x80 + which % 64)};
  }
  const Vocabulary vocabulary =
      train(folder.write("text", corpus() + run + "\n"), GetParam(), 2400);
  EXPECT_EQ(vocabulary.size(), 2400);
  EXPECT_EQ(vocabulary.decode(vocabulary.encode(run)), run);
}

TEST_P(VocabularyOf, IsThatOfRunsWithBlanksAtTheCuts) {
  const TemporaryFolder folder;
  std::string run, cut;
  std::mt19937 random(1);
  for (int i = 0; i < 40'000; ++i) {
    const std::string letter(1, static_cast<char>('a' + random() % 26));
    run += letter;
    cut += (i > 0 && i % 16'384 == 0 ? " " : "") + letter;
  }
  EXPECT_EQ(train(folder.write("run", run), GetParam(), 40).fingerprint(),
            train(folder.write("cut", cut), GetParam(), 40).fingerprint());
}

TEST_P(VocabularyOf, SpellsUnknownPiecesAsItIsTold) {
  const TemporaryFolder folder;
  const Vocabulary vocabulary = train(folder.write("text", corpus()), GetParam());
  const std::vector<int32_t> ids = vocabulary.encode("Mann ξ fährt ω.");
  ASSERT_EQ(std::count(ids.begin(), ids.end(), kUnknown), 2);
  EXPECT_EQ(vocabulary.decode(ids, {"ξ", "ω"}), "Mann ξ fährt ω.");
  EXPECT_EQ(vocabulary.decode(ids, {}), vocabulary.decode(ids));
  EXPECT_NE(vocabulary.decode(ids, {"ξ"}).find("\u2047"), std::string::npos);
  std::string joined;
  for (const std::string& surface : vocabulary.surfaces(ids)) joined += surface;
  EXPECT_EQ(joined, vocabulary.decode(ids));
  for (const std::string& sentence : kSentences) {
    joined.clear();
    for (const std::string& surface : vocabulary.surfaces(vocabulary.encode(sentence)))
      joined += surface;
    EXPECT_EQ(joined, sentence);
  }
}

TEST_P(VocabularyOf, DecodesWhatItEncodesInAnyScript) {
  const TemporaryFolder folder;
  const Vocabulary vocabulary = train(folder.write("text", corpus()), GetParam());
  for (const std::string& sentence : kSentences) {
    EXPECT_EQ(vocabulary.decode(vocabulary.encode(sentence)), sentence);
    for (uint64_t seed = 0; seed < 20; ++seed)
      EXPECT_EQ(vocabulary.decode(vocabulary.sample(sentence, 0.3, seed)), sentence);
  }
  EXPECT_THAT(vocabulary.encode(""), IsEmpty());
  EXPECT_THAT(vocabulary.sample("", 0.3, 1), IsEmpty());
}

TEST_P(VocabularyOf, TrainedTwiceIsTheSame) {
  const TemporaryFolder folder;
  const std::string plain = folder.write("text", corpus());
  const std::string packed = folder.write("text.gz", gzip(corpus()));
  const Vocabulary a = train(plain, GetParam()), b = train(packed, GetParam());
  EXPECT_EQ(a.fingerprint(), b.fingerprint());
  EXPECT_EQ(a.size(), 125);
  EXPECT_NE(a.fingerprint(), train(plain, GetParam(), 126).fingerprint());
}

TEST_P(VocabularyOf, HasTheSpecialIds) {
  const TemporaryFolder folder;
  const Vocabulary vocabulary = train(folder.write("text", corpus()), GetParam());
  EXPECT_EQ(vocabulary.piece(kPad), "<pad>");
  EXPECT_EQ(vocabulary.piece(kUnknown), "<unk>");
  EXPECT_EQ(vocabulary.piece(kBegin), "<s>");
  EXPECT_EQ(vocabulary.piece(kEnd), "</s>");
  EXPECT_EQ(vocabulary.decode({kBegin, kEnd, kPad, kPad}), "");
  EXPECT_THROW(vocabulary.piece(125), Bug);
  EXPECT_THROW(vocabulary.decode({-1}), Bug);
}

TEST_P(VocabularyOf, UnknownCharactersStayVisible) {
  const TemporaryFolder folder;
  const Vocabulary vocabulary = train(folder.write("text", corpus()), GetParam());
  const auto ids = vocabulary.encode("Ein Щ Mann");
  EXPECT_EQ(std::ranges::count(ids, kUnknown), 1);
  EXPECT_EQ(vocabulary.decode(ids), "Ein \u2047 Mann");
  EXPECT_EQ(vocabulary.decode(vocabulary.sample("Ein Щ Mann", 0.3, 5)), "Ein \u2047 Mann");
}

TEST_P(VocabularyOf, SpellsEachPieceAndWhatItDoesNotKnowAsTheLineDoes) {
  const TemporaryFolder folder;
  const Vocabulary vocabulary = train(folder.write("text", corpus()), GetParam());
  for (const std::string line : {"Ein ЩЪ Mann", "\tEin  Mann ", "Щ", "", "\xff"}) {
    const auto ids = vocabulary.encode(line);
    const auto names = vocabulary.spell(line);
    ASSERT_EQ(names.size(), ids.size()) << line;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const bool known = ids[i] != kUnknown;
      EXPECT_EQ(known ? names[i] : "", known ? vocabulary.piece(ids[i]) : "") << line;
    }
  }
  EXPECT_THAT(vocabulary.spell("Ein ЩЪ Mann"), Contains("ЩЪ"));
}

TEST_P(VocabularyOf, SamplesByTheSeedAloneOnEveryThread) {
  const TemporaryFolder folder;
  const Vocabulary vocabulary = train(folder.write("text", corpus()), GetParam());
  std::set<std::vector<int32_t>> draws;
  std::vector<std::vector<int32_t>> here, there;
  for (uint64_t seed = 0; seed < 50; ++seed)
    here.push_back(vocabulary.sample(kSentences[0], 0.2, seed));
  std::thread([&] {
    for (uint64_t seed = 50; seed-- > 0;)
      there.insert(there.begin(), vocabulary.sample(kSentences[0], 0.2, seed));
  }).join();
  EXPECT_EQ(here, there);
  draws.insert(here.begin(), here.end());
  EXPECT_GT(draws.size(), 10U);
}

TEST_P(VocabularyOf, TakesTheLeastCoverageThatSentencePieceTakes) {
  const TemporaryFolder folder;
  const std::string path = folder.write("text", corpus());
  EXPECT_EQ(train_vocabulary(
                {.files = {path}, .size = 110, .algorithm = GetParam(), .coverage = kLeastCoverage})
                .size(),
            110);
}

// The one number means the opposite (data.subword_sampling).
TEST(Vocabulary, ALargerAlphaIsMoreRandomForBpeAndLessForUnigram) {
  const TemporaryFolder folder;
  const std::string path = folder.write("text", corpus());
  const auto pieces = [&](const std::string& algorithm, double alpha) {
    const Vocabulary vocabulary = train(path, algorithm);
    std::size_t all = 0;
    for (uint64_t seed = 0; seed < 50; ++seed)
      all += vocabulary.sample(kSentences[0], alpha, seed).size();
    return all;
  };
  EXPECT_GT(pieces("bpe", 0.9), pieces("bpe", 0.1) * 5 / 4);
  EXPECT_GT(pieces("unigram", 0.01), pieces("unigram", 0.9) * 5 / 4);
}

TEST_P(VocabularyOf, SavedAndLoadedIsTheSame) {
  const TemporaryFolder folder;
  const Vocabulary vocabulary = train(folder.write("text", corpus()), GetParam());
  vocabulary.save(folder / "joint.spm");
  const Vocabulary loaded = Vocabulary::load(folder / "joint.spm");
  EXPECT_EQ(loaded.fingerprint(), vocabulary.fingerprint());
  EXPECT_EQ(loaded.encode(kSentences[1]), vocabulary.encode(kSentences[1]));
  EXPECT_EQ(loaded.sample(kSentences[1], 0.5, 3), vocabulary.sample(kSentences[1], 0.5, 3));
}

TEST_P(VocabularyOf, SizesThatTheTextCannotSupportAreUserErrors) {
  const TemporaryFolder folder;
  const std::string path = folder.write("text", corpus());
  const auto message = message_of<UserError>([&] { train(path, GetParam(), 50000); });
  const std::string before = path +
                             ": too little text for 50000 pieces; set "
                             "data.vocabulary.size to at most ";
  ASSERT_TRUE(message.starts_with(before)) << message;
  const int64_t most = std::stoll(message.substr(before.size()));
  EXPECT_EQ(train(path, GetParam(), most).size(), most);
  EXPECT_THAT(message_of<UserError>([&] { train(path, GetParam(), 20); }),
              HasSubstr("20 pieces are too few for all its characters; set data.vocabulary.size to "
                        "at least"));
}

TEST_P(VocabularyOf, ATextThatGivesFewerPiecesThanMayBeAskedForNeedsMoreText) {
  const TemporaryFolder folder;
  VocabularyTraining training{
      .files = {folder.write("text", "a b a\n")}, .size = 40, .algorithm = GetParam()};
  training.fewest = 16;
  EXPECT_THAT(message_of<UserError>([&] { train_vocabulary(training); }),
              MatchesRegex(".*too little text for 40 pieces; it gives [0-9]+, and 16 are the "
                           "fewest: add text"));
  training.size = 15;
  EXPECT_THAT(message_of<UserError>([&] { train_vocabulary(training); }),
              HasSubstr("size must be at least 16"));
}

TEST_P(VocabularyOf, EncodesHugeLinesAndBrokenBytes) {
  const TemporaryFolder folder;
  const Vocabulary vocabulary = train(folder.write("text", corpus()), GetParam());
  std::string longest;
  while (longest.size() < (1 << 18)) longest += kSentences[2] + " ";
  EXPECT_EQ(vocabulary.decode(vocabulary.encode(longest)) + " ", longest);
  EXPECT_EQ(vocabulary.decode(vocabulary.encode("Ein\xFF Mann")), "Ein\u2047 Mann");
  EXPECT_EQ(vocabulary.decode(vocabulary.encode("\tEin \u00A0 Mann ")), "Ein Mann");
}

TEST_P(VocabularyOf, ASymbolIsOnePieceWhereverItStands) {
  const TemporaryFolder folder;
  const Vocabulary vocabulary = train_vocabulary({.files = {folder.write("text", corpus())},
                                                  .size = 125,
                                                  .algorithm = GetParam(),
                                                  .symbols = {"<de>", "<en>"}});
  EXPECT_EQ(vocabulary.size(), 125);
  EXPECT_EQ(vocabulary.piece(4), "<de>");
  EXPECT_EQ(vocabulary.piece(5), "<en>");
  EXPECT_TRUE(vocabulary.has_symbol("<en>"));
  EXPECT_FALSE(vocabulary.has_symbol("<fr>") || vocabulary.has_symbol("<s>") ||
               vocabulary.has_symbol("E"));
  const auto plain = vocabulary.encode("Ein Mann"), tagged = vocabulary.encode("<de> Ein Mann");
  EXPECT_EQ(tagged.front(), 4);
  EXPECT_EQ(std::vector<int32_t>(tagged.begin() + 1, tagged.end()), plain);
  EXPECT_THAT(vocabulary.encode("<de>"), ElementsAre(4));
  for (const std::string line :
       {"<de> Ein Mann", "<de>", "<de> <en> Ein", "Ein <en> Mann", "Ein<en>Mann", "Ein <en>"}) {
    const auto ids = vocabulary.encode(line);
    EXPECT_EQ(vocabulary.decode(ids), line);
    EXPECT_EQ(vocabulary.spell(line).size(), ids.size()) << line;
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const auto drawn = vocabulary.sample(line, 0.3, seed);
      EXPECT_EQ(vocabulary.decode(drawn), line);
      EXPECT_EQ(drawn.front() == 4, ids.front() == 4) << line;
    }
  }
}

TEST_P(VocabularyOf, BytesSpellWhatHasNoPiece) {
  const TemporaryFolder folder;
  const Vocabulary vocabulary = train_vocabulary({.files = {folder.write("text", corpus())},
                                                  .size = 381,
                                                  .algorithm = GetParam(),
                                                  .byte_fallback = true});
  EXPECT_EQ(vocabulary.size(), 381);
  const std::string line = "Ein Щ Mann 🦆";
  const auto ids = vocabulary.encode(line);
  EXPECT_EQ(std::ranges::count(ids, kUnknown), 0);
  EXPECT_EQ(vocabulary.decode(ids), line);
  EXPECT_THAT(vocabulary.spell(line), Contains("<0xD0>"));  // U+0429 is D0 A9
  EXPECT_EQ(vocabulary.decode(vocabulary.sample(line, 0.3, 1)), line);
}

INSTANTIATE_TEST_SUITE_P(Algorithms, VocabularyOf, testing::Values("unigram", "bpe"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Vocabulary, ABareLetterIsTextEnough) {
  const TemporaryFolder folder;
  const std::string path = folder.write("text", "a\n");
  EXPECT_EQ(train_vocabulary({.files = {path}, .size = 6, .algorithm = "bpe"}).size(), 6);
}

// SentencePiece leaves out lines with U+2585, which it uses itself.
TEST(Vocabulary, UsesLinesWithACharacterThatSentencePieceReserves) {
  const TemporaryFolder folder;
  std::string text = corpus();
  for (int i = 0; i < 20; ++i) text += "\u2585\u2585 ξξ\n";
  const Vocabulary vocabulary = train(folder.write("text", text), "bpe");
  for (const int32_t id : vocabulary.encode("ξ ξξ")) EXPECT_NE(id, kUnknown);
}

TEST(Vocabulary, NoTextIsAUserError) {
  const TemporaryFolder folder;
  const std::string path = folder.write("text", "\n \t\n");
  EXPECT_EQ(message_of<UserError>([&] { train(path, "unigram"); }),
            path + ": no text to train a vocabulary on");
  EXPECT_THROW(train(folder / "none", "unigram"), UserError);
  EXPECT_THROW(train_vocabulary({.files = {}}), UserError);
}

TEST(Vocabulary, TextInLatin1IsRefusedWithTheCure) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 20; ++i) text += "sch\xF6n a b\n";
  const std::string path = folder.write("text", text);
  EXPECT_THAT(
      message_of<UserError>([&] { train(path, "bpe", 16); }),
      testing::AllOf(HasSubstr(path + ":1: not UTF-8"), HasSubstr("iconv -f WINDOWS-1252")));
}

TEST(Vocabulary, TextInUtf16IsRefusedWithTheCure) {
  const TemporaryFolder folder;
  const std::string path = folder.write("text", std::string("\xFF\xFE\x61\0\n\0", 6));
  EXPECT_THAT(message_of<UserError>([&] { train(path, "bpe", 16); }),
              testing::AllOf(HasSubstr(path + ":1: text in UTF-16"), HasSubstr("iconv -f UTF-16")));
}

TEST(Vocabulary, AnErrorInTheMiddleOfTheTextIsThatError) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 900; ++i) text += corpus() + std::to_string(i * 7919) + "\n";
  text = gzip(text);
  const std::string path = folder.write("text.gz", text.substr(0, text.size() - 20));
  EXPECT_THAT(message_of<UserError>([&] { train(path, "unigram"); }),
              HasSubstr("the gzip archive ends before its end"));
}

TEST(Vocabulary, CoverageOutOfSentencePiecesRangeIsAUserError) {
  const TemporaryFolder folder;
  const std::string path = folder.write("text", corpus());
  EXPECT_EQ(message_of<UserError>(
                [&] { train_vocabulary({.files = {path}, .size = 180, .coverage = 0.9}); }),
            "data.vocabulary.coverage must be between 0.98 and 1, got 0.9000");
}

TEST(Vocabulary, WhatCannotBeASymbolIsAUserError) {
  const auto fault = [](const std::vector<std::string>& symbols) {
    return message_of<UserError>([&] { check_symbols(symbols, "--symbols"); });
  };
  const std::string characters = "has a blank, a comma, a quotation mark or U+2581 in it";
  EXPECT_EQ(fault({"<de>", "<zh_CN>", "@@"}), "(nothing thrown)");
  EXPECT_EQ(fault({"<de>", ""}), "--symbols: the symbol '' is empty");
  EXPECT_EQ(fault({"a b"}), "--symbols: the symbol 'a b' " + characters);
  EXPECT_EQ(fault({"a,b"}), "--symbols: the symbol 'a,b' " + characters);
  EXPECT_EQ(fault({"\u2581a"}), "--symbols: the symbol '\u2581a' " + characters);
  EXPECT_EQ(fault({"</s>"}), "--symbols: the symbol '</s>' is a special piece of every vocabulary");
  EXPECT_EQ(fault({"<de>", "<en>", "<de>"}), "--symbols: the symbol '<de>' is given twice");
}

TEST(Vocabulary, MissingSymbolsAreNamedWithTheCure) {
  const TemporaryFolder folder;
  const Vocabulary vocabulary = train(folder.write("text", corpus()), "bpe");
  EXPECT_EQ(message_of<UserError>([&] { vocabulary.require_symbols({"<bt>"}, "joint.spm"); }),
            "joint.spm: the vocabulary has no user-defined symbol '<bt>'; heed vocab TEXT --extend "
            "OLD.spm --symbols '<bt>' --size N -o NEW.spm adds it");
}

TEST(Vocabulary, IsTrainedOnTheColumnsOfATsvFile) {
  const TemporaryFolder folder;
  const std::string tsv = folder.write("pairs.tsv", "aa ab\tcc cd\nab\tdc\n");
  const std::string source = folder.write("source", "aa ab\nab\n");
  const std::string target = folder.write("target", "cc cd\ndc\n");
  const auto fingerprint = [](const std::vector<TextFile>& files) {
    return train_vocabulary({.files = files, .size = 10, .algorithm = "bpe"}).fingerprint();
  };
  EXPECT_EQ(fingerprint({{tsv, TsvColumn::source}}), fingerprint({source}));
  EXPECT_EQ(fingerprint({{tsv, TsvColumn::target}}), fingerprint({target}));
  EXPECT_EQ(fingerprint({{tsv, TsvColumn::both}}),
            fingerprint({folder.write("both", "aa ab\ncc cd\nab\ndc\n")}));
}

TEST(Vocabulary, ATruncatedModelIsRefused) {
  const TemporaryFolder folder;
  train(folder.write("text", corpus()), "unigram").save(folder / "joint.spm");
  const std::string whole = read_file(folder / "joint.spm");
  const std::string path = folder.write("cut.spm", whole.substr(0, whole.size() / 2));
  EXPECT_THROW(Vocabulary::load(path), UserError);
}

}  // namespace
}  // namespace heed::text
