#include "score/bleu_statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

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

// Differences of -1, 0, 1, 3 and 7 around their mean, 2: -3, -2, -1, 1 and 5. Three of five are as
// large as the real difference, 2, one of them just so. Above the baseline are three, a tie is not.
TEST(CompareDraws, IsTwoSidedAroundTheMeanOfTheDifferences) {
  const std::vector<double> system{1, 1, 4, 3, 12}, baseline{2, 1, 3, 0, 5};
  const Comparison found = compare_draws(system, baseline, 2);
  EXPECT_EQ(found.difference, 2);
  EXPECT_EQ(found.interval.low, -1);
  EXPECT_EQ(found.interval.high, 7);
  EXPECT_DOUBLE_EQ(found.wins, 3.0 / 5);
  EXPECT_DOUBLE_EQ(found.p_value, 4.0 / 6);
  const Comparison reversed = compare_draws(baseline, system, -2);
  EXPECT_EQ(reversed.interval.low, -7);
  EXPECT_EQ(reversed.interval.high, 1);
  EXPECT_DOUBLE_EQ(reversed.wins, 1.0 / 5);
  EXPECT_DOUBLE_EQ(reversed.p_value, 4.0 / 6);
}

// One sentence gives the same difference in each draw. That tells nothing about other sentences.
TEST(CompareDraws, ThatDoNotVaryShowNoDifference) {
  const std::vector<double> system{40, 40, 40}, baseline{15, 15, 15};
  EXPECT_EQ(compare_draws(system, baseline, 25).p_value, 1);
}

TEST(PText, HasThreeDigitsOrSaysThatItIsLess) {
  EXPECT_EQ(p_text(0.0124), "p = 0.012");
  EXPECT_EQ(p_text(0.001), "p = 0.001");
  EXPECT_EQ(p_text(0.00099), "p < 0.001");
}

TEST(Proportion, HasWilsonsInterval) {
  const Proportion quarter{.hits = 1,
                           .of = 4};  // (0.25 + z2/8 -+ z sqrt(0.25*0.75/4 + z2/64)) / (1 + z2/4)
  EXPECT_NEAR(quarter.interval().low, 0.045587, 1e-6);
  EXPECT_NEAR(quarter.interval().high, 0.699359, 1e-6);
  const Proportion all{.hits = 7, .of = 7};
  EXPECT_NEAR(all.interval().low, 7 / (7 + 3.841459), 1e-6);
  EXPECT_EQ(all.interval().high, 1);
  EXPECT_EQ(Proportion{}.value(), 0);
  EXPECT_EQ(Proportion{}.interval().high, 1);
}

// 100 * (57 / 100.0) is below 57.
TEST(Proportion, ReachesThePercentThatItHas) {
  for (std::size_t hits = 0; hits <= 100; ++hits) {
    const auto percent = static_cast<double>(hits);
    for (const std::size_t times : {1, 3, 7}) {
      const Proportion share{.hits = times * hits, .of = times * 100};
      EXPECT_TRUE(share.reaches(percent)) << share.hits << " of " << share.of;
      EXPECT_FALSE(share.reaches(percent + 0.01)) << share.hits << " of " << share.of;
    }
  }
  EXPECT_TRUE(Proportion{}.reaches(0));
  EXPECT_FALSE(Proportion{}.reaches(0.01));
}

// x * 100 / 100 is above x for some numbers x.
TEST(AtLeastPercent, EveryNumberIsAHundredPercentOfItself) {
  for (int i = 1; i <= 1000; ++i) {
    const double number = i / 7.0;
    EXPECT_TRUE(at_least_percent(number, 100, number)) << i;
    EXPECT_FALSE(at_least_percent(number, 100.01, number)) << i;
  }
  EXPECT_TRUE(at_least_percent(15, 30, 50));
  EXPECT_FALSE(at_least_percent(14.9, 30, 50));
}

WordCounts counts(const std::vector<std::string>& hypotheses,
                  const std::vector<std::string>& references) {
  return word_counts(hypotheses, references);
}

TEST(WordCounts, OfTheReferenceItselfAreNothing) {
  const WordCounts same = counts({"a b a", ""}, {"a b a", ""});
  EXPECT_EQ(same.reference, 3);
  EXPECT_EQ(same.repeated, 0);
  EXPECT_EQ(same.dropped, 0);
}

// "a" once too often, "x" twice though it should not be there at all: once is another mistake. "b"
// and one "c" are missing.
TEST(WordCounts, TellRepeatedAndDroppedWords) {
  const WordCounts some = counts({"a a x x c"}, {"a b c c"});
  EXPECT_EQ(some.reference, 4);
  EXPECT_EQ(some.repeated, 2);
  EXPECT_EQ(some.dropped, 2);
  EXPECT_EQ(some.repeated_share(), 0.5);
  EXPECT_EQ(counts({}, {}).dropped_share(), 0);
  EXPECT_THROW(counts({"a"}, {}), UserError);
}

}  // namespace
}  // namespace heed::score
