#include "score/bleu_statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "score/nasty_sentences.h"
#include "score/sacrebleu.h"

namespace heed::score {
namespace {

using testing::ElementsAre;
using Lines = std::vector<std::string>;

BleuStatistics count(const std::string& hypothesis, const std::string& reference) {
  return bleu_statistics(Lines{hypothesis}, Lines{reference}).at(0);
}

TEST(BleuStatistics, CountClippedMatchesOfEachOrder) {
  // The classic of the BLEU paper: "the" is there twice, so seven of them match twice.
  const BleuStatistics s = count("the the the the the the the", "the cat is on the mat");
  EXPECT_EQ(s.hypothesis_length, 7);
  EXPECT_EQ(s.reference_length, 6);
  EXPECT_THAT(s.matches, ElementsAre(2, 0, 0, 0));
  EXPECT_THAT(s.totals, ElementsAre(7, 6, 5, 4));
}

TEST(Bleu, IsWhatPaperAndPencilGive) {
  // a b c d against a b c d e: all n-grams match, BP = exp(1 - 5/4).
  const BleuScore score = bleu(count("a b c d", "a b c d e"));
  EXPECT_NEAR(score.score, 100 * std::exp(-0.25), 1e-9);
  EXPECT_NEAR(score.brevity_penalty, 0.7788007830714049, 1e-12);
  EXPECT_DOUBLE_EQ(score.length_ratio, 0.8);
}

TEST(Bleu, HalvesThePrecisionOfEachOrderWithoutAMatch) {
  // a b x y e: 3/5, 1/4, then 1/(2*3) and 1/(4*2).
  const BleuScore score = bleu(count("a b x y e", "a b c d e"));
  EXPECT_NEAR(score.score, 100 * std::pow(3.0 / 5 / 4 / 6 / 8, 0.25), 1e-9);
}

TEST(Bleu, IsZeroWithoutAMatchOrWithoutFourWords) {
  EXPECT_EQ(bleu(count("x y z w", "a b c d")).score, 0);
  EXPECT_EQ(bleu(count("a b c", "a b c")).score, 0);
  EXPECT_EQ(bleu(count("", "a b c")).score, 0);
  EXPECT_EQ(bleu(count("", "a b c")).brevity_penalty, 0);
  EXPECT_EQ(bleu(count("a", "")).length_ratio, 0);
}

TEST(Tokenizer13a, SplitsPunctuationButKeepsNumbersTogether) {
  EXPECT_THAT(bleu_tokens("Hello, world! It's 3,000.50.", "13a"),
              ElementsAre("Hello", ",", "world", "!", "It's", "3,000.50", "."));
  EXPECT_THAT(bleu_tokens("1990-1995 well-known", "13a"),
              ElementsAre("1990", "-", "1995", "well-known"));
  EXPECT_THAT(bleu_tokens("&quot;A&amp;B&quot; &lt;x&gt;", "13a"),
              ElementsAre("\"", "A", "&", "B", "\"", "<", "x", ">"));
  EXPECT_THAT(bleu_tokens("z.B. ...", "13a"), ElementsAre("z", ".", "B", ".", ".", ".", "."));
}

TEST(Tokenizers, CharAndNoneAreSimple) {
  EXPECT_THAT(bleu_tokens("a bé\u3000漢", "char"), ElementsAre("a", "b", "é", "漢"));
  EXPECT_THAT(bleu_tokens("  a,b \u00a0 c. ", "none"), ElementsAre("a,b", "c."));
  EXPECT_FALSE(knows_tokenizer("intl"));
  EXPECT_THROW(bleu_tokens("a", "intl"), Bug);
}

TEST(BleuStatistics, NeedAReferencePerHypothesis) {
  EXPECT_THROW(bleu_statistics(Lines{"a", "b"}, Lines{"a"}), UserError);
}

class AgreesWithSacrebleu : public testing::TestWithParam<std::pair<const char*, bool>> {};

TEST_P(AgreesWithSacrebleu, OnSentencesThatTripTokenizers) {
  const auto [tokenizer, lowercase] = GetParam();
  EvaluationConfig config;
  config.metrics = {"bleu"};
  config.tokenize = tokenizer;
  config.lowercase = lowercase;
  const auto statistics =
      bleu_statistics(nasty_hypotheses(), nasty_references(), tokenizer, lowercase);
  const Score whole = score(nasty_hypotheses(), nasty_references(), config).at(0);
  const BleuStatistics total = sum(statistics);
  EXPECT_NEAR(bleu(total).score, whole.value, 1e-6);
  EXPECT_EQ(total.hypothesis_length, whole.hypothesis_length);
  EXPECT_EQ(total.reference_length, whole.reference_length);
}

INSTANTIATE_TEST_SUITE_P(Tokenizers, AgreesWithSacrebleu,
                         testing::Values(std::pair{"13a", false}, std::pair{"13a", true},
                                         std::pair{"char", false}, std::pair{"char", true},
                                         std::pair{"none", false}, std::pair{"none", true}),
                         [](const auto& info) {
                           return std::string(info.param.first) +
                                  (info.param.second ? "_lowercase" : "");
                         });

}  // namespace
}  // namespace heed::score
