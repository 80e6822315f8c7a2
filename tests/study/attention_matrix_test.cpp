#include "study/attention_matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/strings.h"
#include "study/matrices.h"
#include "text/table.h"

namespace heed::study {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::Not;

float row_sum(const AttentionMatrix& matrix, std::size_t row) {
  float sum = 0;
  for (std::size_t column = 0; column < matrix.source.size(); ++column)
    sum += matrix.at(row, column);
  return sum;
}

TEST(AttentionCsv, LongFormHasOneRowPerWeight) {
  AttentionMatrix matrix = example();
  matrix.target = {"\u2581Ti"};
  matrix.weights.resize(4);
  matrix.weights[1] = 0.1f;
  EXPECT_EQ(attention_csv_header() + attention_csv_rows(matrix),
            "sentence,layer,head,target_position,target_token,source_position,source_token,weight\n"
            "7,1,2,0,\"\u2581Ti\",0,\"\u2581an\",0.5\n"
            "7,1,2,0,\"\u2581Ti\",1,\"imal\",0.1\n"
            "7,1,2,0,\"\u2581Ti\",2,\"\u2581,\"\"\",0.125\n"
            "7,1,2,0,\"\u2581Ti\",3,\"</s>\",0.125\n");
}

TEST(AttentionCsv, RowsThatDoNotAddUpEndWithWhatIsMissing) {
  AttentionMatrix matrix{.target = {"\u2581x", "y"}, .source = {"a"}, .weights = {1, -3}};
  matrix.missing = {0.5f, 0.25f};
  EXPECT_EQ(attention_csv_rows(matrix),
            "1,0,mean,0,\"\u2581x\",0,\"a\",1\n"
            "1,0,mean,0,\"\u2581x\",,(missing),0.5\n"
            "1,0,mean,1,\"y\",0,\"a\",-3\n"
            "1,0,mean,1,\"y\",,(missing),0.25\n");
  EXPECT_EQ(attention_csv_matrix(matrix),
            "sentence 1 layer 0 head mean,\"a\",(missing)\n\"\u2581x\",1,0.5\n\"y\",-3,0.25\n");
  EXPECT_THAT(merge_words(matrix, WordRows::sum).missing, ElementsAre(0.75f));
  EXPECT_THAT(shares_of(matrix).missing, ElementsAre(0.5f, 0.25f / 3));
}

TEST(AttentionMatrix, SymbolsThatBeginALineAreNoWords) {
  const AttentionMatrix matrix{
      .target = {"<s>de", "\u2581Ti", "er", "</s>"},
      .source = {"<s>__en__", "<s><2de>", "an", "imal", "</s>"},
      .weights = {0.5f, 0.1f, 0.1f, 0.1f, 0.2f, 0.25f, 0.25f, 0.25f, 0.125f, 0.125f,
                  0,    0,    0,    1,    0,    0,     0,     0.5f,  0,      0.5f}};
  EXPECT_EQ(count_words(matrix.source), 2);
  EXPECT_EQ(count_words(matrix.target), 2);
  const AttentionMatrix words = merge_words(matrix);
  EXPECT_THAT(words.target, ElementsAre("Tier", "</s>"));
  EXPECT_THAT(words.source, ElementsAre("animal", "</s>"));
  EXPECT_THAT(words.weights, ElementsAre(0.6875f, 0.0625f, 0.5f, 0.5f));
  // Labels of words of the text leave them in their places.
  const text::WordsOfParts target{{"Tier"}, {0, 0, 0}, {0, 0, 0}},
      source{{"animal"}, {0, 0, 0, 0}, {0, 0, 0, 0}};
  EXPECT_EQ(merge_words(with_words(matrix, target, source)).weights, words.weights);
}

TEST(AttentionCsv, WeightsReadBackToTheSameFloat) {
  const float third = 1.0f / 3, tiny = 1.2345678e-9f;
  const AttentionMatrix matrix{.target = {"t"}, .source = {"a", "b"}, .weights = {third, tiny}};
  const auto lines = split(attention_csv_rows(matrix), '\n');
  EXPECT_EQ(std::stof(split(lines[0], ',').back()), third);
  EXPECT_EQ(std::stof(split(lines[1], ',').back()), tiny);
  EXPECT_THAT(lines[0], HasSubstr("1,0,mean,0,\"t\",0,\"a\","));
}

TEST(AttentionCsv, MatrixFormIsTargetBySource) {
  const AttentionMatrix matrix{
      .target = {"x", "y"}, .source = {"a", ","}, .weights = {1, 0, 0.5f, 0.5f}};
  EXPECT_EQ(attention_csv_matrix(matrix),
            "sentence 1 layer 0 head mean,\"a\",\",\"\n\"x\",1,0\n\"y\",0.5,0.5\n");
}

TEST(AttentionMatrix, OnlyTheEndAtTheEndIsNotCounted) {
  EXPECT_EQ(length_before_end({}), 0u);
  EXPECT_EQ(length_before_end({"</s>"}), 0u);
  EXPECT_EQ(length_before_end({"\u2581an", "imal", "</s>"}), 2u);
  EXPECT_EQ(length_before_end({"<s>", "\u2581an"}), 2u);
  EXPECT_EQ(length_before_end({"</s>", "\u2581an", "</s>"}), 2u);
}

TEST(AttentionMatrix, WithoutTheEndRowsSumToOneAgain) {
  const AttentionMatrix result = drop_end(example());
  EXPECT_THAT(result.source, ElementsAre("\u2581an", "imal", "\u2581,\""));
  EXPECT_EQ(result.target.size(), 3u);
  EXPECT_FLOAT_EQ(result.at(0, 0), 0.5f / 0.875f);
  EXPECT_FLOAT_EQ(result.at(1, 1), 0.5f / 0.75f);
  EXPECT_FLOAT_EQ(result.at(2, 2), 0.5f);
  for (std::size_t row = 0; row < 3; ++row) EXPECT_THAT(row_sum(result, row), FloatNear(1, 1e-6f));
}

TEST(AttentionMatrix, AWordThatIsSpelledAsTheEndStays) {
  const AttentionMatrix matrix{
      .target = {"t"}, .source = {"a", "</s>", "b", "</s>"}, .weights = {0.1f, 0.3f, 0.4f, 0.2f}};
  const AttentionMatrix result = drop_end(matrix);
  EXPECT_THAT(result.source, ElementsAre("a", "</s>", "b"));
  EXPECT_THAT(result.weights, ElementsAre(0.125f, 0.375f, 0.5f));
}

TEST(AttentionMatrix, ARowThatLooksOnlyAtTheEndBecomesZeros) {
  const AttentionMatrix matrix{.target = {"t"}, .source = {"a", "b", "</s>"}, .weights = {0, 0, 1}};
  EXPECT_THAT(drop_end(matrix).weights, ElementsAre(0, 0));
}

TEST(AttentionMatrix, WordsSumOverSourceAndAverageOverTargetPieces) {
  const AttentionMatrix result = merge_words(example());
  EXPECT_THAT(result.target, ElementsAre("Tier", "</s>"));
  EXPECT_THAT(result.source, ElementsAre("animal", ",\"", "</s>"));
  // Tier: mean of (0.75, 0.125, 0.125) and (0.75, 0, 0.25).
  EXPECT_THAT(result.weights, ElementsAre(0.75f, 0.0625f, 0.1875f, 0.125f, 0.125f, 0.75f));
  EXPECT_EQ(result.sentence, 7);
}

TEST(AttentionMatrix, MergedPiecesAreNoSoftmaxAnyMore) {
  AttentionMatrix matrix = example();
  matrix.softmax = true;
  EXPECT_FALSE(merge_words(matrix).softmax);
  EXPECT_TRUE(drop_end(matrix).softmax);
  matrix.target = matrix.source = {"\u2581a", "</s>"};
  matrix.weights = {0.75f, 0.25f, 0.5f, 0.5f};
  EXPECT_TRUE(merge_words(matrix).softmax);  // each word is one piece
}

// The rows of integrated gradients of a word's pieces add up to what its log-probability, which is
// the sum of theirs, has more than without a source.
TEST(AttentionMatrix, EvidenceOfAWordIsTheSumOfItsPieces) {
  const AttentionMatrix result = merge_words(example(), WordRows::sum);
  EXPECT_THAT(result.weights, ElementsAre(1.5f, 0.125f, 0.375f, 0.125f, 0.125f, 0.75f));
  EXPECT_THAT(words_of_tokens(example().source), ElementsAre(0, 0, 1, 2));
}

// Source "我喜欢狗" in three pieces, target "iPad 猫" in three: each character is a word.
TEST(AttentionMatrix, APieceOfSeveralCharactersSharesItsWeightAmongThem) {
  const AttentionMatrix matrix{.target = {"\u2581i", "Pad", "猫狗", "</s>"},
                               .source = {"\u2581我", "喜欢", "狗", "</s>"},
                               .weights = {0.5f, 0.25f, 0.25f, 0,  // i
                                           0.25f, 0.5f, 0.25f, 0,  // Pad
                                           0, 0.5f, 0.5f, 0,       //
                                           0, 0, 0, 1}};
  const AttentionMatrix result = merge_words(matrix);
  EXPECT_THAT(result.source, ElementsAre("我", "喜", "欢", "狗", "</s>"));
  EXPECT_THAT(result.target, ElementsAre("iPad", "猫", "狗", "</s>"));
  EXPECT_THAT(result.weights, ElementsAre(0.375f, 0.1875f, 0.1875f, 0.25f, 0,  //
                                          0, 0.25f, 0.25f, 0.5f, 0,            //
                                          0, 0.25f, 0.25f, 0.5f, 0,            //
                                          0, 0, 0, 0, 1));
  EXPECT_FALSE(result.softmax);
  EXPECT_EQ(count_words(matrix.source), 5U);
  // The row of 猫狗 is a log-probability, which is divided between both.
  EXPECT_THAT(merge_words(matrix, WordRows::sum).at(1, 3), 0.25f);
}

TEST(AttentionMatrix, LoneWordMarksAndFirstPiecesWithoutAMarkAreWordsToo) {
  const AttentionMatrix matrix{.target = {"<s>", "a"},
                               .source = {"un", "mark", "\u2581", "x", "\u2581", "</s>"},
                               .weights = std::vector<float>(12, 0.25f)};
  const AttentionMatrix result = merge_words(matrix);
  EXPECT_THAT(result.source, ElementsAre("unmark", "x", "\u2581", "</s>"));
  EXPECT_THAT(result.target, ElementsAre("<s>", "a"));
}

TEST(AttentionMatrix, AWeightThatIsMissingIsABug) {
  AttentionMatrix matrix = example();
  matrix.weights.pop_back();
  EXPECT_THROW(attention_csv_rows(matrix), Bug);
  EXPECT_THROW(merge_words(matrix), Bug);
}

TEST(AttentionCsv, PrintedWeightsOfAHundredColumnsSumToOne) {
  std::vector<std::string> tokens;
  for (int i = 0; i < 99; ++i) tokens.push_back((i % 3 ? "" : "\u2581") + std::to_string(i));
  tokens.push_back("</s>");
  const AttentionMatrix pieces{
      .target = tokens, .source = tokens, .weights = random_rows(100, 100, 5)};
  const AttentionMatrix words = merge_words(pieces);
  EXPECT_EQ(words.source.size(), 34u);
  for (const AttentionMatrix& matrix : {pieces, words, drop_end(pieces), drop_end(words)}) {
    for (const std::string& line : split(attention_csv_matrix(matrix), '\n')) {
      const auto fields = split(line, ',');
      if (line.empty() || fields[0].starts_with("sentence")) continue;
      ASSERT_EQ(fields.size(), matrix.source.size() + 1);
      double sum = 0;
      for (std::size_t i = 1; i < fields.size(); ++i) sum += std::stod(fields[i]);
      EXPECT_NEAR(sum, 1, 1e-6) << line;
    }
  }
}

}  // namespace
}  // namespace heed::study
