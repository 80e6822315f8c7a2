// text::extended(): vocabularies with more pieces.
#include "text/extension.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sentencepiece_processor.h>

#include <algorithm>
#include <cctype>

#include "base/error.h"
#include "base/strings.h"
#include "message.h"
#include "temporary_folder.h"
#include "text/foreign_vocabulary.h"
#include "text/utf8.h"
#include "text/vocabulary.h"
#include "text/vocabulary_training.h"

namespace heed::text {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<std::string> kOld = {"the house and the garden are in the street",
                                       "a man in the street reads the paper",
                                       "the garden of the man is green and the house is red",
                                       "she sees the red house and the green street"};
const std::vector<std::string> kNew = {
    "die größte Straße führt durch den Garten", "der Garten und die Straße führen durch den Wald",
    "größere Gärten führen durch die größeren Straßen", "durch den Wald führt die größte Straße"};

/// The lines, and their words in company of others, so that there are pieces to choose from.
std::string text_of(const std::vector<std::string>& lines) {
  std::string text, words;
  for (const std::string& line : lines)
    for (int i = 0; i < 5; ++i) text += line + "\n";
  for (const std::string& line : lines)
    for (const std::string& a : split(line, ' '))
      for (const std::string& b : split(lines[0], ' ')) words += a + b + " " + b + "\n";
  return text + words;
}

class ExtendedBy : public testing::TestWithParam<const char*> {
 protected:
  Vocabulary old_one(std::vector<std::string> symbols = {}) {
    return train_vocabulary({.files = {folder.write("old", text_of(kOld))},
                             .size = 40,
                             .algorithm = GetParam(),
                             .symbols = std::move(symbols)});
  }
  VocabularyTraining training(int64_t size) {
    return {.files = {folder.write("new", text_of(kNew))}, .size = size};
  }
  static std::size_t length(const Vocabulary& vocabulary, const std::vector<std::string>& lines) {
    std::size_t pieces = 0;
    for (const std::string& line : lines) pieces += vocabulary.encode(line).size();
    return pieces;
  }
  TemporaryFolder folder;
};

TEST_P(ExtendedBy, KeepsEveryPieceUnderItsId) {
  const Vocabulary old = old_one(), more = extended(old, training(60));
  EXPECT_EQ(more.size(), 60);
  for (int32_t id = 0; id < old.size(); ++id) EXPECT_EQ(more.piece(id), old.piece(id));
}

TEST_P(ExtendedBy, SpellsTheNewTextInFewerPiecesAndTheOldAsBefore) {
  const Vocabulary old = old_one(), more = extended(old, training(60));
  std::size_t same = 0;
  for (const std::string& line : kOld) {
    EXPECT_EQ(more.decode(more.encode(line)), line);
    same += more.encode(line) == old.encode(line);
  }
  EXPECT_GE(same, kOld.size() - 1);
  for (const std::string& line : kNew) {
    EXPECT_EQ(more.decode(more.encode(line)), line);  // ö, ß, ü and ä are no longer unknown
    EXPECT_EQ(std::ranges::count(more.encode(line), kUnknown), 0);
    for (uint64_t seed = 0; seed < 20; ++seed)
      EXPECT_EQ(more.decode(more.sample(line, 0.3, seed)), line);
  }
  EXPECT_LT(length(more, kNew) * 4, length(old, kNew) * 3);
}

TEST_P(ExtendedBy, UsesEachOfItsNewPiecesOfSeveralCharacters) {
  const Vocabulary old = old_one(), more = extended(old, training(55));
  std::set<int32_t> used;
  for (const std::string& line : kNew)
    for (uint64_t seed = 0; seed < 200; ++seed)
      for (const int32_t id : more.sample(line, 0.3, seed)) used.insert(id);
  for (int32_t id = old.size(); id < more.size(); ++id)
    EXPECT_TRUE(used.contains(id) || count_code_points(more.piece(id)) == 1) << more.piece(id);
}

TEST_P(ExtendedBy, IsAnOrdinarySentencePieceModel) {
  const Vocabulary more = extended(old_one(), training(60));
  more.save(folder / "more.spm");
  sentencepiece::SentencePieceProcessor plain;
  ASSERT_TRUE(plain.Load(folder / "more.spm").ok());
  EXPECT_EQ(plain.GetPieceSize(), 60);
  std::vector<int> ids;
  ASSERT_TRUE(plain.Encode(kNew[0], &ids).ok());
  EXPECT_EQ(ids, more.encode(kNew[0]));
}

TEST_P(ExtendedBy, TheSameTwiceIsTheSame) {
  const Vocabulary old = old_one();
  EXPECT_EQ(extended(old, training(60)).fingerprint(), extended(old, training(60)).fingerprint());
}

TEST_P(ExtendedBy, NewSymbolsComeFirstAndOldOnesStay) {
  const Vocabulary old = old_one({"<de>"});
  VocabularyTraining more_symbols = training(55);
  more_symbols.symbols = {"<de>", "<bt>"};
  const Vocabulary more = extended(old, more_symbols);
  EXPECT_EQ(more.piece(40), "<bt>");
  EXPECT_TRUE(more.has_symbol("<bt>") && more.has_symbol("<de>"));
  EXPECT_EQ(more.encode("<bt> " + kOld[0])[0], 40);
  EXPECT_EQ(more.decode(more.encode("<bt> " + kOld[0])), "<bt> " + kOld[0]);
}

TEST_P(ExtendedBy, NoRoomIsAUserError) {
  const Vocabulary old = old_one();
  EXPECT_EQ(message_of<UserError>([&] { extended(old, training(40)); }),
            "data.vocabulary.size: the vocabulary has 40 pieces already; ask for more");
  VocabularyTraining symbols = training(41);
  symbols.symbols = {"<a>", "<b>"};
  EXPECT_EQ(message_of<UserError>([&] { extended(old, symbols); }),
            "data.vocabulary.size: there is room for 1 new pieces, and 2 are symbols");
  symbols.symbols = {"a"};
  EXPECT_THAT(message_of<UserError>([&] { extended(old, symbols); }),
              HasSubstr("'a' is a piece of the vocabulary already, and no symbol"));
  // ö ß S c G ä W l ü
  EXPECT_EQ(
      message_of<UserError>([&] { extended(old, training(44)); }),
      "data.vocabulary.size: the text has 9 characters without a piece, and there is room for "
      "4; ask for 49 or more, or for less coverage");
  const Vocabulary whole = extended(old, training(49));
  EXPECT_EQ(whole.decode(whole.encode("größte Straße Gärten Wald")), "größte Straße Gärten Wald");
}

TEST_P(ExtendedBy, ATextWithFewPiecesGivesFew) {
  const Vocabulary old = old_one();
  const Vocabulary more = extended(old, {.files = {folder.write("few", "the ω\n")}, .size = 1000});
  EXPECT_LT(more.size(), 60);
  EXPECT_EQ(more.decode(more.encode("the ω")), "the ω");
}

INSTANTIATE_TEST_SUITE_P(Algorithms, ExtendedBy, testing::Values("unigram", "bpe"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Extended, BpeByHand) {
  const TemporaryFolder folder;
  // Pieces 4 to 8: merges ab and U+2581 ab in some order, then the three characters.
  const Vocabulary old = train_vocabulary(
      {.files = {folder.write("old", "ab ab ab\n")}, .size = 9, .algorithm = "bpe"});
  const Vocabulary more =
      extended(old, {.files = {folder.write("new", "abc abc abd\n")}, .size = 20});
  // c is there twice, d once; the one pair that is there twice is U+2581 ab before c.
  ASSERT_EQ(more.size(), 12);
  EXPECT_EQ(more.piece(9), "c");
  EXPECT_EQ(more.piece(10), "d");
  EXPECT_EQ(more.piece(11), "\u2581abc");
  const int32_t ab = old.encode("ab").at(0);
  EXPECT_EQ(more.piece(ab), "\u2581ab");
  EXPECT_THAT(more.encode("abc abd ab"), ElementsAre(11, ab, 10, ab));
}

class ExtendedWithCaseFolding : public testing::TestWithParam<const char*> {};

TEST_P(ExtendedWithCaseFolding, LearnsTheTextAsTheModelSeesIt) {
  const TemporaryFolder folder;
  const Vocabulary old = foreign_vocabulary(folder, text_of(kOld),
                                            {{"model_type", GetParam()},
                                             {"normalization_rule_name", "nmt_nfkc_cf"},
                                             {"vocab_size", "40"}});
  std::vector<std::string> capitals = {"WALD UND FELD UND WALD \u03A9", "WALDWEG <BT> UND FELDWEG"};
  const Vocabulary more = extended(old, {.files = {folder.write("new", text_of(capitals))},
                                         .size = old.size() + 12,
                                         .symbols = {"<BT>"}});
  ASSERT_GT(more.size(), old.size() + 1);
  std::vector<std::string> added;
  for (int64_t id = old.size(); id < more.size(); ++id)
    added.push_back(more.piece(static_cast<int32_t>(id)));
  EXPECT_EQ(added[0], "<BT>");
  EXPECT_THAT(added, Contains("\u03C9"));
  for (std::size_t i = 1; i < added.size(); ++i)
    EXPECT_EQ(std::ranges::count_if(added[i], [](unsigned char c) { return std::isupper(c); }), 0)
        << added[i];
  EXPECT_LT(more.encode("Wald und Feld").size(), old.encode("Wald und Feld").size());
  EXPECT_EQ(more.decode(more.encode("WALDWEG \u03A9")), "waldweg \u03C9");
}

INSTANTIATE_TEST_SUITE_P(Algorithms, ExtendedWithCaseFolding, testing::Values("unigram", "bpe"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Extended, OtherAlgorithmsAreRefused) {
  const TemporaryFolder folder;
  const Vocabulary words = foreign_vocabulary(folder, "a b c\n", {{"model_type", "word"}});
  EXPECT_THAT(message_of<UserError>(
                  [&] { extended(words, {.files = {folder.write("new", "d\n")}, .size = 20}); }),
              HasSubstr("only vocabularies of unigram or bpe can be extended"));
}

}  // namespace
}  // namespace heed::text
