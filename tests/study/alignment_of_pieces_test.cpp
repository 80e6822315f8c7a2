#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "study/alignment.h"
#include "study/attention_matrix.h"
#include "text/vocabulary.h"

namespace heed::study {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(PieceWords, BlanksSeparateThem) {
  const WordsOfParts words = text::words_of_parts({"Ti", "er", " sch", "läft", "."});
  EXPECT_THAT(words.words, ElementsAre("Tier", "schläft."));
  EXPECT_THAT(words.first, ElementsAre(0, 0, 1, 1, 1));
}

TEST(PieceWords, APieceOfBlanksBelongsToTheWordAfterIt) {
  const WordsOfParts words = text::words_of_parts({" ", "a", "  ", "b", "", " "});
  EXPECT_THAT(words.words, ElementsAre("a", "b"));
  EXPECT_THAT(words.first, ElementsAre(0, 0, 1, 1, 1, 2));
}

TEST(PieceWords, APieceMayBeginInOneWordAndEndInAnother) {
  const WordsOfParts words = text::words_of_parts({"a", "b c", "d"});
  EXPECT_THAT(words.words, ElementsAre("ab", "cd"));
  EXPECT_THAT(words.first, ElementsAre(0, 0, 1));
  EXPECT_TRUE(separates_words(words));
  // An unknown piece is set off by blanks.
  EXPECT_THAT(text::words_of_parts({"a", " ? ", "b"}).words, ElementsAre("a", "?", "b"));
}

TEST(PieceWords, APieceOfTwoWordsTellsThemNotApart) {
  EXPECT_FALSE(separates_words(text::words_of_parts({" of the", " end"})));
  EXPECT_FALSE(separates_words(text::words_of_parts({"end", " of the"})));
  EXPECT_TRUE(separates_words(text::words_of_parts({"of", " the", " ", "end", " "})));
  EXPECT_TRUE(separates_words(text::words_of_parts({})));
}

TEST(PieceWords, OfNothingAreNone) {
  EXPECT_THAT(text::words_of_parts({}).words, IsEmpty());
  EXPECT_THAT(text::words_of_parts({" ", ""}).words, IsEmpty());
  EXPECT_THAT(text::words_of_parts({" ", ""}).first, ElementsAre(0, 0));
}

TEST(PieceWords, ASurfaceHasBlanksForTheMark) {
  EXPECT_EQ(text::surface_of("\u2581a\u2581b"), " a b");
  EXPECT_EQ(text::surface_of("ä"), "ä");
  EXPECT_EQ(text::surface_of(""), "");
}

TEST(PieceWords, LinksCountTheWordsOfTheText) {
  // Target "x yz", of which the mark is a piece of its own; source "ab c".
  const AttentionMatrix pieces{.target = {"\u2581x", "\u2581", "y", "z", "</s>"},
                               .source = {"\u2581a", "b", "\u2581c", "</s>"},
                               .weights = {0.1F, 0.1F, 0.7F, 0.1F,  // x: c
                                           0.3F, 0.3F, 0.3F, 0.1F,  // y z: a b
                                           0.2F, 0.4F, 0.3F, 0.1F,  //
                                           0.4F, 0.2F, 0.3F, 0.1F,  //
                                           0.0F, 0.0F, 0.0F, 1.0F}};
  const WordsOfParts target = text::words_of_parts({"x", " ", "y", "z"});
  const WordsOfParts source = text::words_of_parts({"a", "b", " c"});
  EXPECT_EQ(pharaoh(hard_alignment(merge_words(with_words(pieces, target, source)))), "0-1 1-0");
}

TEST(PieceWords, NoLinkHasAWordThatTheTextLacks) {
  // A blank translation of "a", of one piece; then "x" with a blank after it.
  const AttentionMatrix blank{.target = {"\u2581", "</s>"},
                              .source = {"\u2581a", "</s>"},
                              .weights = {0.9F, 0.1F, 0.5F, 0.5F}};
  const WordsOfParts source = text::words_of_parts({"a"});
  EXPECT_EQ(
      pharaoh(hard_alignment(merge_words(with_words(blank, text::words_of_parts({" "}), source)))),
      "");
  const AttentionMatrix after{.target = {"\u2581x", "\u2581", "</s>"},
                              .source = {"\u2581a", "</s>"},
                              .weights = {0.9F, 0.1F, 0.1F, 0.9F, 0.5F, 0.5F}};
  const AttentionMatrix words =
      merge_words(with_words(after, text::words_of_parts({"x", " "}), source));
  EXPECT_EQ(pharaoh(hard_alignment(words)), "0-0");
  EXPECT_FLOAT_EQ(words.at(0, 0), 0.9F);  // the blank is no part of x
}

TEST(SourceWord, IsTheOneWithTheLargestWeightInAll) {
  // b c together have more than a.
  const std::vector<std::string> surfaces{"a", " b", "c", " d"};
  const std::vector<float> row{0.4F, 0.3F, 0.25F, 0.0F, 0.05F};
  EXPECT_EQ(source_word_for(surfaces, {false, false, false, false}, row), "bc");
}

TEST(SourceWord, HasNoPunctuationAroundIt) {
  const std::vector<float> row{0.6F, 0.3F, 0.1F};
  EXPECT_EQ(source_word_for({"„Mc-Fly", "\","}, {false, false}, row), "Mc-Fly");
  EXPECT_EQ(source_word_for({"...", " a"}, {false, false}, row), "...");
}

TEST(SourceWord, IsItsUnknownPartWhereThereIsOne) {
  const std::vector<float> row{0.1F, 0.2F, 0.3F, 0.1F, 0.2F, 0.1F};
  EXPECT_EQ(source_word_for({"M", "ü", "ll", "ø", " b"}, {false, true, false, true, false}, row),
            "ü");
  // The unknown part of another word does not matter.
  EXPECT_EQ(source_word_for({"ü", " b", "c"}, {true, false, false}, row), "bc");
}

TEST(SourceWord, OfNoWordsIsNothing) {
  EXPECT_EQ(source_word_for({}, {}, std::vector<float>{1.0F}), "");
}

}  // namespace
}  // namespace heed::study
