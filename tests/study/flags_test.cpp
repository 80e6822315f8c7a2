#include "study/flags.h"

#include <gmock/gmock.h>

#include "study/matrices.h"

namespace heed::study {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A pair with one quite likely piece for each word.
JudgedPair pair_of(std::string_view source, std::string_view translation) {
  return {.source = source,
          .translation = translation,
          .source_pieces = text::count_words(source),
          .target_pieces = text::count_words(translation)};
}

std::string flagged(const JudgedPair& pair) {
  return joined(flags_of(pair));
}

TEST(Flags, NothingIsSaidOfAnOrdinaryTranslation) {
  EXPECT_EQ(flagged(pair_of("Ein Mann fährt Fahrrad.", "A man rides a bike.")), "-");
  EXPECT_EQ(flagged(pair_of("", "")), "-");
  EXPECT_EQ(flagged(pair_of(" ", "something")), "-");
}

TEST(Flags, OfNothing) {
  EXPECT_EQ(flagged(pair_of("Ein Mann", "")), "empty");
  EXPECT_EQ(flagged(pair_of("Ein Mann", " ")), "empty");
}

TEST(Flags, OfACopyButNotOfNames) {
  const std::string_view source = "Ein Mann fährt schnell Fahrrad.";
  EXPECT_EQ(flagged(pair_of(source, source)), "copied");
  EXPECT_EQ(flagged(pair_of(source, "ein MANN fährt a bike")), "-");     // 3 of 5
  EXPECT_EQ(flagged(pair_of(source, "Ein Mann fährt bike")), "copied");  // 3 of 4
  EXPECT_EQ(flagged(pair_of("Anna Maria Schmidt", "Anna Maria Schmidt")), "-");
}

TEST(Flags, OfACopyOfNearLanguagesOnlyWhereChanceDoesNotExplainIt) {
  JudgedPair pair = pair_of("Han bor i Oslo i dag", "Han bor i Oslo i dag");
  EXPECT_EQ(flagged(pair), "copied");
  pair.copies.usual = 0.43;  // 0.43^6 is 0.006
  EXPECT_EQ(flagged(pair), "-");
  const std::string_view long_line = "a b c d e f g h i j k l";  // 0.43^12 is 0.00004
  pair = pair_of(long_line, long_line);
  pair.copies.usual = 0.43;
  EXPECT_EQ(flagged(pair), "copied");
  pair = pair_of(long_line, "a b c d e f g h i j x y");  // 10 of 12
  EXPECT_EQ(flagged(pair), "copied");
  pair.copies.usual = 0.43;
  EXPECT_EQ(flagged(pair), "-");
}

TEST(Flags, OfWordsThatComeAgainUnlessThoseOfTheSourceDo) {
  EXPECT_EQ(flagged(pair_of("Ein Hund in einem Park.", "A dog in a park in a park.")),
            "repetition");
  EXPECT_EQ(flagged(pair_of("Ein Hund läuft weg.", "The the dog runs.")), "-");
  EXPECT_EQ(flagged(pair_of("Ein Hund läuft weg.", "The the the dog runs.")), "repetition");
  EXPECT_EQ(flagged(pair_of("Ding Ding Ding, es klingelt.", "Ding ding ding, it rings.")), "-");
}

TEST(Flags, OfNumbersByTheirDigits) {
  EXPECT_EQ(flagged(pair_of("1.250,50 Euro für 2 Männer", "1,250.50 euros for two men")), "-");
  EXPECT_EQ(flagged(pair_of("Im Jahr 1984 war es.", "It was in 1948.")), "numbers");
  EXPECT_EQ(flagged(pair_of("Es war lange her.", "It was 120 years ago.")), "numbers");
  EXPECT_EQ(flagged(pair_of("Es war lange her.", "It was 12 years ago.")), "-");  // twelve
}

TEST(Flags, OfAnotherScriptWhereOneIsKnown) {
  JudgedPair pair = pair_of("Ein Mann geht.", "человек идёт A");
  EXPECT_EQ(flagged(pair), "-");
  pair.script = text::Script::latin;
  EXPECT_EQ(flagged(pair), "script");
  pair.translation = "A man walks, он";
  EXPECT_EQ(flagged(pair), "-");
  EXPECT_EQ(usual_script({"▁the", "ing", "7", "он"}), text::Script::none);  // 6 of 8 letters
  EXPECT_EQ(usual_script({"▁the", "▁longer", "он"}), text::Script::latin);
  EXPECT_EQ(usual_script({"7"}), text::Script::none);
}

TEST(Flags, OfLengthByPieces) {
  JudgedPair pair = pair_of("Ein Mann", "A man");
  pair.source_pieces = 10;
  pair.target_pieces = 25;  // 29 / 14 = 2.07
  EXPECT_EQ(flagged(pair), "length");
  pair.target_pieces = 24;  // 2, no more
  EXPECT_EQ(flagged(pair), "-");
  pair.target_pieces = 2;  // 14 / 6 = 2.33
  EXPECT_EQ(flagged(pair), "length");
  pair.target_pieces = 3;
  EXPECT_EQ(flagged(pair), "-");
}

TEST(Flags, OfWordsThatNobodyReads) {
  JudgedPair pair = pair_of("Ein Mann geht fort", "A man");
  pair.attention = {0.2, 0.9, 0.1, 0.4};
  EXPECT_EQ(flagged(pair), "-");
  pair.attention = {0.9, 0.9, 0.1, 0.2};
  EXPECT_EQ(flagged(pair), "unread");
}

TEST(Flags, OfLowProbabilitiesAndTheLimit) {
  JudgedPair pair = pair_of("Ein Mann geht", "A man walks");
  pair.log_probability = -6.3;  // of three pieces and </s>: 1.575 nats each
  EXPECT_EQ(flagged(pair), "-");
  pair.log_probability = -6.5;
  pair.cut = true;
  EXPECT_EQ(flagged(pair), "cut,unsure");
  pair.forced = true;
  EXPECT_EQ(flagged(pair), "cut");
  pair.log_probability = -12.1;
  EXPECT_EQ(flagged(pair), "cut,unsure");
}

TEST(Flags, AttentionIsSummedOverTheSteps) {
  const AttentionMatrix words{.words = true,
                              .target = {"a", "man", "</s>"},
                              .source = {"ein", "Mann", "</s>"},
                              .weights = {0.75, 0.25, 0, 0.25, 0.5, 0.25, 0, 0.25, 0.75}};
  EXPECT_THAT(received_attention(words), ElementsAre(DoubleNear(1, 1e-7), DoubleNear(1, 1e-7)));
}

}  // namespace
}  // namespace heed::study
