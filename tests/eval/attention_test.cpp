#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/strings.h"
#include "eval/attention_csv.h"
#include "eval/attention_matrix.h"
#include "eval/attention_page.h"
#include "eval/csv.h"
#include "eval/well_formed.h"

namespace heed::eval {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::Not;

// 3 target pieces (2 words and the end) by 4 source pieces (2 words and the end).
AttentionMatrix example() {
  return {.sentence = 7,
          .layer = 1,
          .head = 2,
          .target = {"\u2581Ti", "er", "</s>"},
          .source = {"\u2581an", "imal", "\u2581,\"", "</s>"},
          .weights = {0.5f, 0.25f, 0.125f, 0.125f,  //
                      0.25f, 0.5f, 0.0f, 0.25f,     //
                      0.0f, 0.125f, 0.125f, 0.75f}};
}

float row_sum(const AttentionMatrix& matrix, std::size_t row) {
  float sum = 0;
  for (std::size_t column = 0; column < matrix.source.size(); ++column)
    sum += matrix.at(row, column);
  return sum;
}

TEST(Csv, QuotesOnlyWhatNeedsIt) {
  EXPECT_EQ(csv_field("plain text"), "plain text");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csv_field("\r"), "\"\r\"");
  EXPECT_EQ(csv_field(""), "");
}

TEST(AttentionCsv, LongFormHasOneRowPerWeight) {
  AttentionMatrix matrix = example();
  matrix.target = {"\u2581Ti"};
  matrix.weights.resize(4);
  matrix.weights[1] = 0.1f;
  EXPECT_EQ(attention_csv_header() + attention_csv_rows(matrix),
            "sentence,layer,head,target_position,target_token,source_position,source_token,weight\n"
            "7,1,2,0,\u2581Ti,0,\u2581an,0.5\n"
            "7,1,2,0,\u2581Ti,1,imal,0.1\n"
            "7,1,2,0,\u2581Ti,2,\"\u2581,\"\"\",0.125\n"
            "7,1,2,0,\u2581Ti,3,</s>,0.125\n");
}

TEST(AttentionCsv, WeightsReadBackToTheSameFloat) {
  const float third = 1.0f / 3, tiny = 1.2345678e-9f;
  const AttentionMatrix matrix{.target = {"t"}, .source = {"a", "b"}, .weights = {third, tiny}};
  const auto lines = split(attention_csv_rows(matrix), '\n');
  EXPECT_EQ(std::stof(split(lines[0], ',').back()), third);
  EXPECT_EQ(std::stof(split(lines[1], ',').back()), tiny);
  EXPECT_THAT(lines[0], HasSubstr("1,0,mean,0,t,0,a,"));
}

TEST(AttentionCsv, MatrixFormIsTargetBySource) {
  const AttentionMatrix matrix{
      .target = {"x", "y"}, .source = {"a", ","}, .weights = {1, 0, 0.5f, 0.5f}};
  const AttentionMatrix both[] = {matrix, matrix};
  const std::string one = "sentence 1 layer 0 head mean,a,\",\"\nx,1,0\ny,0.5,0.5\n";
  EXPECT_EQ(attention_csv_matrix(matrix), one);
  EXPECT_EQ(attention_csv_matrices(both), one + "\n" + one);
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

TEST(AttentionPage, EmbedsEachMatrixUnderItsSentence) {
  AttentionMatrix other = example(), stranger = example();
  other.head = -1;
  stranger.sentence = 2;
  stranger.kind = "encoder";
  const AttentionMatrix all[] = {example(), stranger, other};
  const auto data = nlohmann::json::parse(attention_json(all));
  ASSERT_EQ(data.size(), 2u);
  EXPECT_EQ(data[0]["id"], 7);
  ASSERT_EQ(data[0]["views"].size(), 2u);
  EXPECT_EQ(data[0]["views"][1]["head"], -1);
  EXPECT_EQ(data[1]["views"][0]["kind"], "encoder");
  EXPECT_EQ(data[0]["views"][0]["source"][2], "\u2581,\"");
  EXPECT_EQ(data[0]["views"][0]["weights"][1], 2500);
  EXPECT_EQ(data[0]["views"][0]["weights"].size(), 12u);
}

TEST(AttentionPage, IsOneFileThatNoTokenCanBreak) {
  AttentionMatrix matrix = example();
  matrix.source = {"</script><script>alert(1)", "\xff", "@data@", "<!--"};
  const std::string page = attention_page({&matrix, 1}, "A <b> & @data@");
  EXPECT_EQ(occurrences(page, "</script>"), 2u);
  EXPECT_EQ(occurrences(page, "<script"), 2u);
  EXPECT_EQ(occurrences(page, "<!--"), 0u);
  EXPECT_EQ(occurrences(page, "A &lt;b&gt; &amp; @data@"), 2u);
  EXPECT_EQ(occurrences(page, "\"views\":"), 1u);
  EXPECT_THAT(page, HasSubstr("\\u003c/script>\\u003cscript>alert(1)"));
  for (const char* outside : {"http:", "https:", "src=", "@import", "url("}) {
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  }
}

TEST(AttentionPage, NeedsAMatrix) {
  EXPECT_THROW(attention_page({}, "empty"), UserError);
}

}  // namespace
}  // namespace heed::eval
