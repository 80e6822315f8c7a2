#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "score/sacrebleu.h"

namespace heed::score {
namespace {

using testing::HasSubstr;
using Lines = std::vector<std::string>;

const Lines kGerman = {"Ein Hund schläft.", "他"}, kChinese = {"我喜欢狗。", "OK", "他在睡觉。"},
            kJapanese = {"私は犬が好きです。", "東京へ行きます。"}, kThai = {"ฉันรักหมา"},
            kKorean = {"나는 개를 좋아한다."}, kSegmented = {"我 喜欢 狗 。", "他 在 睡觉 。"};

TEST(Tokenizer, FitsTheScript) {
  EXPECT_EQ(fitting_tokenizer(kGerman), "13a");
  EXPECT_EQ(fitting_tokenizer(kChinese), "zh");
  EXPECT_EQ(fitting_tokenizer(kJapanese), "ja-mecab");
  EXPECT_EQ(fitting_tokenizer(kThai), "char");
  EXPECT_EQ(fitting_tokenizer(kKorean), "ko-mecab");
  EXPECT_EQ(fitting_tokenizer(kSegmented), "13a");
  EXPECT_EQ(fitting_tokenizer(Lines{}), "13a");
}

TEST(Tokenizer, IsDoubtedWhereItFindsNoWords) {
  const auto doubt = [](const Lines& lines, const std::string& tokenize) {
    EvaluationConfig config;
    config.tokenize = tokenize;
    return tokenizer_doubt(lines, config, "test.zh").value_or("");
  };
  EXPECT_EQ(
      doubt(kChinese, "13a"),
      "evaluation.tokenize: 13a finds no words in test.zh, where there are no blanks between them, "
      "and BLEU is meaningless; set it to zh");
  for (const char* blind : {"13a", "intl", "none", "ko-mecab"})
    EXPECT_THAT(doubt(kJapanese, blind), HasSubstr("set it to ja-mecab or char")) << blind;
  for (const char* other : {"zh", "ja-mecab"})
    EXPECT_THAT(doubt(kThai, other), HasSubstr("set it to char")) << other;
  for (const char* good : {"zh", "ja-mecab", "char", "flores200"})
    EXPECT_EQ(doubt(kChinese, good), "") << good;
  for (const Lines& lines : {kGerman, kKorean, kSegmented, Lines{}})
    EXPECT_EQ(doubt(lines, "13a"), "");
}

TEST(Tokenizer, MattersForBleuAlone) {
  EvaluationConfig config;
  config.metrics = {"chrf", "ter"};
  EXPECT_FALSE(tokenizer_doubt(kChinese, config, "test.zh"));
}

}  // namespace
}  // namespace heed::score
