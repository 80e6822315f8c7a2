#include "text/piece_rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "message.h"
#include "temporary_folder.h"
#include "text/vocabulary.h"
#include "text/vocabulary_training.h"

namespace heed::text {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Ids = std::vector<int32_t>;

const std::string kCodes = "#version: 0.2\nH a\nHa u\nHau s\nt ü\ntü r</w>\n";

Vocabulary made(const std::vector<std::string>& pieces, const PieceRule& rule = {},
                const std::vector<std::string>& symbols = {}) {
  return Vocabulary::from_model(model_of_pieces(pieces, symbols, rule), "pieces");
}

TEST(PieceRule, LinesArePiecesAndTranslationsAreWords) {
  const Vocabulary vocabulary = made({"Haus@@", "tür", "die", "Haus"});
  EXPECT_EQ(vocabulary.size(), 8);
  EXPECT_EQ(vocabulary.encode("die Haus@@ tür"), (Ids{6, 4, 5}));
  EXPECT_EQ(vocabulary.encode("  die\tHaus  "), (Ids{6, 7}));
  EXPECT_EQ(vocabulary.encode("Tür Haus@"), (Ids{kUnknown, kUnknown}));
  EXPECT_EQ(vocabulary.decode({6, 4, 5, 7}), "die Haustür Haus");
  EXPECT_EQ(vocabulary.decode({4}), "Haus");  // cut off inside a word
  EXPECT_EQ(vocabulary.decode({kBegin, 4, kUnknown, 7, kEnd}), "Haus\u2047 Haus");
  EXPECT_EQ(vocabulary.decode({6, kUnknown, 7}, {"rote"}), "die rote Haus");
  EXPECT_THAT(vocabulary.surfaces({6, 4, 5, 7}), ElementsAre("die", " Haus", "tür", " Haus"));
  EXPECT_EQ(vocabulary.piece(4), "Haus@@");
  EXPECT_EQ(vocabulary.id_of("Haus@@"), 4);
  EXPECT_EQ(vocabulary.algorithm(), "pieces");
  EXPECT_TRUE(vocabulary.is_cut());
  EXPECT_FALSE(vocabulary.reads_words());
  EXPECT_FALSE(vocabulary.can_sample());
  EXPECT_EQ(vocabulary.sample("die Haus@@ tür", 0.5, 7), (Ids{6, 4, 5}));
}

TEST(PieceRule, CodesCutWords) {
  const Vocabulary vocabulary = made({"Haus@@", "tür", "die", "Haus"}, {.codes = kCodes});
  EXPECT_EQ(vocabulary.encode("Haustür"), (Ids{4, 5}));
  EXPECT_THAT(vocabulary.spell("Haustür x"), ElementsAre("Haus@@", "tür", "x"));
  EXPECT_TRUE(vocabulary.reads_words());
  // d, i and e have no merges: three pieces, which the vocabulary lacks.
  EXPECT_THAT(vocabulary.spell("die"), ElementsAre("d@@", "i@@", "e"));
  EXPECT_EQ(vocabulary.encode("die Haustür", 2), (Ids{kUnknown, kUnknown, kUnknown}));
}

TEST(PieceRule, UnknownPiecesAreCutBack) {
  const std::vector<std::string> pieces = {"Hau@@", "s@@", "tür"};
  EXPECT_EQ(made(pieces, {.codes = kCodes}).encode("Haustür"), (Ids{kUnknown, 6}));
  EXPECT_EQ(made(pieces, {.codes = kCodes, .split_unknown = true}).encode("Haustür"),
            (Ids{4, 5, 6}));
}

TEST(PieceRule, AnotherSeparator) {
  const Vocabulary vocabulary = made({"Haus~", "tür", "~"}, {.separator = "~"});
  EXPECT_EQ(vocabulary.decode(vocabulary.encode("~ Haus~ tür")), "~ Haustür");
}

TEST(PieceRule, PiecesMayStayPieces) {
  const Vocabulary words = made({"Haus@@", "tür", "H@@"}, {.codes = kCodes});
  const Vocabulary vocabulary = words.with_pieces_as_words(true);
  EXPECT_EQ(vocabulary.encode("Haus@@ tür"), (Ids{4, 5}));
  EXPECT_EQ(vocabulary.decode({4, 5}), "Haus@@ tür");
  EXPECT_FALSE(vocabulary.reads_words());
  EXPECT_EQ(words_of(vocabulary, {4, 5}).words, 2);
  EXPECT_EQ(words_of(words, {4, 5}).words, 1);
}

TEST(PieceRule, WordsArePiecesTogether) {
  const Vocabulary vocabulary = made({"Haus@@", "tür", "die"});
  const WordsOfPieces words = words_of(vocabulary, {6, 4, kUnknown, 5});
  EXPECT_EQ(words.words, 3);
  EXPECT_THAT(words.word_of, ElementsAre(0, 1, 1, 2));
  EXPECT_THAT(vocabulary.with_word_starts({"die", "Haus@@", "tür", "x@@", "y"}),
              ElementsAre("\u2581die", "\u2581Haus", "tür", "\u2581x", "y"));
  EXPECT_TRUE(vocabulary.begins_word(5, 6));
  EXPECT_FALSE(vocabulary.begins_word(5, 4));
}

TEST(PieceRule, SymbolsAreWholePieces) {
  const Vocabulary vocabulary = made({"a"}, {.codes = kCodes}, {"<bt>", ">>fra<<"});
  EXPECT_EQ(vocabulary.encode("<bt> a"), (Ids{4, 6}));
  EXPECT_TRUE(vocabulary.has_symbol("<bt>"));
  const Vocabulary french = vocabulary.beginning_with({">>fra<<"});
  EXPECT_EQ(french.encode("a"), (Ids{5, 6}));
  EXPECT_EQ(french.decode({5, 6}), "a");
  EXPECT_THAT(french.with_word_starts(french.spell("a")), ElementsAre(">>fra<<", "\u2581a"));
}

TEST(PieceRule, SpecialPiecesAreNoText) {
  const Vocabulary vocabulary = made({"<s>", "a", "</s>"});  // special ones are there already
  EXPECT_EQ(vocabulary.size(), 5);
  EXPECT_EQ(vocabulary.encode("<s> a </s> <pad>"), (Ids{kUnknown, 4, kUnknown, kUnknown}));
}

TEST(PieceRule, IsInTheFile) {
  const TemporaryFolder folder;
  const std::string file = folder / "pieces.spm";
  made({"Haus@@", "tür"}, {.separator = "@@", .codes = kCodes}).save(file);
  const Vocabulary again = Vocabulary::load(file);
  EXPECT_EQ(again.encode("Haustür"), (Ids{4, 5}));
  EXPECT_EQ(load_pieces(file, {}, {}).fingerprint(), again.fingerprint());
  EXPECT_THAT(message_of<UserError>([&] { load_pieces(file, {}, {.codes = kCodes}); }),
              HasSubstr("data.vocabulary.codes"));
}

TEST(PieceRule, ListsOfPieces) {
  EXPECT_THAT(pieces_in_list("a\nb@@ 12\r\nc 3\n", "list"), ElementsAre("a", "b@@", "c"));
  const auto message = [](const std::string& list) {
    return message_of<UserError>([&] { pieces_in_list(list, "list"); });
  };
  EXPECT_THAT(message("a\n\nb\n"), HasSubstr("list:2: '' is no piece"));
  EXPECT_THAT(message("a\nb c\n"), HasSubstr("list:2: 'b c' is no piece"));
  EXPECT_THAT(message("a\nb\na 3\n"), HasSubstr("list:3: the piece 'a' is there twice"));
  EXPECT_THAT(message(""), HasSubstr("list: has no pieces"));
}

TEST(PieceRule, MistakesNameTheKey) {
  const auto message = [](const PieceRule& rule) {
    return message_of<UserError>([&] { check_rule(rule, "data.vocabulary."); });
  };
  EXPECT_THAT(message({.separator = ""}), HasSubstr("data.vocabulary.separator"));
  EXPECT_THAT(message({.separator = "a b"}), HasSubstr("data.vocabulary.separator"));
  EXPECT_THAT(message({.split_unknown = true}), HasSubstr("data.vocabulary.split_unknown"));
  EXPECT_THAT(message({.codes = "a\n"}), HasSubstr("data.vocabulary.codes:1"));
  EXPECT_EQ(message({.codes = kCodes, .split_unknown = true}), "(nothing thrown)");
}

TEST(PieceRule, JoinsLines) {
  EXPECT_EQ(joined_pieces("die Haus@@ tür @@ x@@", "@@"), "die Haustür @@ x");
  EXPECT_EQ(joined_pieces("", "@@"), "");
}

TEST(PieceTraining, TakesTheMostFrequentPieces) {
  const TemporaryFolder folder;
  const std::string file = folder / "text";
  write_atomic(file, "b@@ a a c\na b@@ d\n");
  VocabularyTraining training{.files = {file}, .size = 8, .algorithm = "pieces"};
  const Vocabulary vocabulary = train_vocabulary(training);
  // a 3, b@@ 2, then c before d.
  EXPECT_EQ(vocabulary.encode("a b@@ c d"), (Ids{4, 5, 6, 7}));
  training.size = 7;
  EXPECT_EQ(train_vocabulary(training).encode("a b@@ c d"), (Ids{4, 5, 6, kUnknown}));
  training.size = 100;
  EXPECT_EQ(train_vocabulary(training).size(), 8);
  training.symbols = {"<bt>"};
  EXPECT_EQ(train_vocabulary(training).encode("<bt> a"), (Ids{4, 5}));
}

TEST(PieceTraining, CutsWordsByCodes) {
  const TemporaryFolder folder;
  const std::string file = folder / "text";
  write_atomic(file, "Haustür Haustür Haus\n");
  const Vocabulary vocabulary = train_vocabulary(
      {.files = {file}, .size = 100, .algorithm = "pieces", .rule = {.codes = kCodes}});
  // Haus@@ 2, tür 2, then Haus without a merge of its last letter: Hau@@ 1, s 1.
  EXPECT_EQ(vocabulary.size(), 8);
  EXPECT_EQ(vocabulary.encode("Haustür"), (Ids{4, 5}));
  EXPECT_EQ(vocabulary.encode("Haus"), (Ids{6, 7}));
}

TEST(PieceTraining, RefusesWhatOnlySentencePieceDoes) {
  const TemporaryFolder folder;
  const std::string file = folder / "text";
  write_atomic(file, "a b c\n");
  const auto message = [&](VocabularyTraining training) {
    training.files = {file};
    training.size = 8;
    return message_of<UserError>([&] { train_vocabulary(training); });
  };
  EXPECT_THAT(message({.files = {}, .algorithm = "pieces", .coverage = 0.99}),
              HasSubstr("data.vocabulary.coverage"));
  EXPECT_THAT(message({.files = {}, .algorithm = "pieces", .normalise = "nfc"}),
              HasSubstr("data.vocabulary.normalise"));
  EXPECT_THAT(message({.files = {}, .algorithm = "pieces", .byte_fallback = true}),
              HasSubstr("data.vocabulary.byte_fallback"));
  EXPECT_THAT(message({.files = {}, .algorithm = "bpe", .rule = {.codes = kCodes}}),
              HasSubstr("data.vocabulary.algorithm: pieces"));
}

}  // namespace
}  // namespace heed::text
