#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

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
  EXPECT_EQ(attention_csv_matrix(matrix),
            "sentence 1 layer 0 head mean,a,\",\"\nx,1,0\ny,0.5,0.5\n");
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

/// The weights of one sentence in ten-thousandths, as the page unpacks them.
std::vector<unsigned> unpack(const std::string& base64, std::size_t count) {
  std::string packed;
  uint32_t bits = 0;
  int held = 0;
  for (const char c : base64) {
    const auto digit =
        std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
            .find(c);
    if (digit == std::string_view::npos) break;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    if ((held += 6) >= 8) packed += static_cast<char>(bits >> (held -= 8) & 255);
  }
  std::vector<unsigned char> bytes(2 * count + 1);
  uLongf size = bytes.size();
  EXPECT_EQ(
      uncompress(bytes.data(), &size, reinterpret_cast<const Bytef*>(packed.data()), packed.size()),
      Z_OK);
  std::vector<unsigned> values;
  for (std::size_t at = 0; at < size; ++at) {
    const unsigned low = bytes[at];
    values.push_back(low < 128 ? low : low - 128 + 128 * bytes[++at]);
  }
  return values;
}

TEST(AttentionPage, PacksEachSentencesWeightsAndNamesEachLineOfTokensOnce) {
  AttentionMatrix other = example(), stranger = example();
  other.head = -1;
  other.weights[0] = 0.01275f;  // 127.5: two bytes
  other.weights[1] = 0.01274f;  // one
  stranger.sentence = 2;
  stranger.kind = "encoder";
  stranger.target = stranger.source;
  stranger.weights.assign(16, 0.25f);
  stranger.weights[0] = 1.00001f;
  stranger.weights[1] = NAN;
  const AttentionMatrix all[] = {example(), stranger, other};
  const auto data = nlohmann::json::parse(attention_json(all));
  ASSERT_EQ(data.size(), 2u);
  EXPECT_EQ(data[0]["id"], 7);
  ASSERT_EQ(data[0]["views"].size(), 2u);
  EXPECT_EQ(data[0]["views"][1]["head"], -1);
  EXPECT_EQ(data[1]["views"][0]["kind"], "encoder");
  ASSERT_EQ(data[0]["lines"].size(), 2u);
  EXPECT_EQ(data[0]["lines"][data[0]["views"][1]["source"].get<std::size_t>()][2], "\u2581,\"");
  EXPECT_EQ(data[1]["lines"].size(), 1u);
  EXPECT_THAT(unpack(data[0]["weights"], 24),
              ElementsAre(5000, 2500, 1250, 1250, 2500, 5000, 0, 2500, 0, 1250, 1250, 7500,  //
                          128, 127, 1250, 1250, 2500, 5000, 0, 2500, 0, 1250, 1250, 7500));
  const auto encoder = unpack(data[1]["weights"], 16);
  ASSERT_EQ(encoder.size(), 16u);
  EXPECT_THAT((std::vector<unsigned>(encoder.begin(), encoder.begin() + 3)),
              ElementsAre(10000, 0, 2500));
}

/// Softmax of normal scores of deviation 2.
std::vector<float> random_rows(std::size_t rows, std::size_t columns, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, 2);
  std::vector<float> weights(rows * columns);
  for (std::size_t row = 0; row < rows; ++row) {
    float sum = 0;
    for (std::size_t i = row * columns; i < (row + 1) * columns; ++i)
      sum += weights[i] = std::exp(normal(random));
    for (std::size_t i = row * columns; i < (row + 1) * columns; ++i) weights[i] /= sum;
  }
  return weights;
}

TEST(AttentionPage, StaysSmallForManySentencesAndHeads) {
  std::vector<AttentionMatrix> all;
  const std::vector<std::string> tokens(25, "\u2581token");
  for (int64_t sentence = 1; sentence <= 10; ++sentence)
    for (int64_t head = 0; head < 8; ++head)
      all.push_back({.sentence = sentence,
                     .head = head,
                     .target = tokens,
                     .source = tokens,
                     .weights = random_rows(25, 25, static_cast<unsigned>(8 * sentence + head))});
  // 50,000 weights that no order helps to pack; one that was written out would take 4 bytes.
  const std::size_t size = attention_json(all).size();
  EXPECT_LT(size, 2 * 50000);
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

TEST(AttentionPage, IsOneFileThatNoTokenCanBreak) {
  AttentionMatrix matrix = example();
  matrix.source = {"</script><script>alert(1)", "\xff", "@data@", "<!--"};
  const std::string page = attention_page({&matrix, 1}, "A <b> & @data@");
  EXPECT_EQ(occurrences(page, "</script>"), 2u);
  EXPECT_EQ(occurrences(page, "<script"), 2u);
  EXPECT_EQ(occurrences(page, "<!--"), 1u);
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
