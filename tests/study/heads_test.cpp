#include "study/heads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/strings.h"
#include "message.h"

namespace heed::study {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Rows of 1 at the given positions.
AttentionMatrix pointing(AttentionKind kind, std::vector<std::string> target,
                         std::vector<std::string> source,
                         const std::vector<std::size_t>& positions) {
  AttentionMatrix matrix{.kind = kind, .head = 0, .target = target, .source = source};
  matrix.weights.assign(target.size() * source.size(), 0);
  for (std::size_t row = 0; row < target.size(); ++row)
    matrix.weights[row * source.size() + positions[row]] = 1;
  return matrix;
}

/// Hits and rows.
using Counted = std::pair<std::size_t, std::size_t>;

Counted share(const HeadMeasures& head, Role role) {
  return {head.role(role).hits, head.role(role).of};
}

TEST(Heads, AnEncodersHeadByHand) {
  HeadMeasures head;
  head.add({.kind = AttentionKind::encoder,
            .target = {"▁a", "▁b", "▁a", "</s>"},
            .source = {"▁a", "▁b", "▁a", "</s>"},
            .weights = {0.1f, 0.2f, 0.6f, 0.1f,      //
                        0.7f, 0.1f, 0.1f, 0.1f,      //
                        0.25f, 0.25f, 0.25f, 0.25f,  // the first of equals
                        0.0f, 0.0f, 0.0f, 1.0f}},
           {});
  EXPECT_EQ(head.rows(), 3U);
  EXPECT_NEAR(head.entropy.value(), (1.088900 + 0.940448 + 1.386294) / 3, 1e-5);
  EXPECT_NEAR(head.entropy_share.value(), 0.821289, 1e-5);  // the same over ln 4
  EXPECT_NEAR(head.edge_mass.value(), 0.15, 1e-6);
  EXPECT_EQ(head.zero_share.value(), 0);
  EXPECT_NEAR(head.offset.value(), (1.4 / 0.9 - 0.6 / 0.9 - 1) / 3, 1e-6);
  EXPECT_NEAR(head.distance.value(), (1.4 / 0.9 + 0.8 / 0.9 + 1) / 3, 1e-6);
  EXPECT_NEAR(head.profile[kReach].value(), (0.1 / 0.9 + 0.1 / 0.9 + 1.0 / 3) / 3, 1e-6);
  EXPECT_NEAR(head.profile[kReach + 2].value(), 0.6 / 0.9 / 3, 1e-6);
  EXPECT_EQ(share(head, Role::previous), Counted(1U, 2U));
  EXPECT_EQ(share(head, Role::next), Counted(0U, 3U));
  EXPECT_EQ(share(head, Role::same_place), Counted(0U, 3U));
  EXPECT_EQ(share(head, Role::same_word), Counted(2U, 2U));
  EXPECT_EQ(share(head, Role::separator), Counted(0U, 3U));
  EXPECT_EQ(head.role(Role::aligned).of, 0U);
}

TEST(Heads, ADecoderSeesWhatItHasRead) {
  HeadMeasures head;
  head.add({.kind = AttentionKind::decoder,
            .target = {"▁x", "▁y", "▁z", "</s>"},
            .source = {"<s>", "▁x", "▁y", "▁z"},
            .weights = {1.0f, 0.0f, 0.0f, 0.0f,  // one position only: left out
                        0.3f, 0.7f, 0.0f, 0.0f,  //
                        0.5f, 0.5f, 0.0f, 0.0f,  // sees three, although one weight is 0
                        0.0f, 0.0f, 0.0f, 1.0f}},
           {});
  EXPECT_EQ(head.rows(), 2U);
  EXPECT_NEAR(head.zero_share.value(), (0 + 1.0 / 3) / 2, 1e-12);
  EXPECT_NEAR(head.entropy.value(), (0.610864 + 0.693147) / 2, 1e-5);
  EXPECT_NEAR(head.entropy_share.value(), (0.610864 / 0.693147 + 0.693147 / 1.098612) / 2, 1e-5);
  EXPECT_NEAR(head.edge_mass.value(), 0.4, 1e-6);
  EXPECT_NEAR(head.offset.value(), -0.5, 1e-6);  // inside: x read just now, x one before
  EXPECT_EQ(share(head, Role::same_place), Counted(1U, 2U));
  EXPECT_EQ(share(head, Role::previous), Counted(0U, 2U));
  EXPECT_EQ(share(head, Role::separator), Counted(1U, 2U));  // <s>, the first of equals
  EXPECT_EQ(head.role(Role::next).of, 0U);
}

TEST(Heads, CrossAttentionIsMeasuredAgainstTheDiagonal) {
  HeadMeasures head;  // the diagonal of 3 by 5 words: 0, 2, 4
  head.add(pointing(AttentionKind::cross, {"▁p", "▁q", "▁e", "</s>"},
                    {"▁a", "▁b", "▁c", "▁d", "▁e", "</s>"}, {0, 1, 4, 5}),
           {});
  EXPECT_EQ(share(head, Role::same_place), Counted(2U, 3U));
  EXPECT_NEAR(head.offset.value(), -1.0 / 3, 1e-6);
  EXPECT_NEAR(head.profile[kReach - 1].value(), 1.0 / 3, 1e-6);
  EXPECT_EQ(head.entropy.value(), 0);
  EXPECT_EQ(share(head, Role::same_word), Counted(1U, 1U));
  EXPECT_EQ(head.role(Role::previous).of, 0U);
}

TEST(Heads, ARowOnTheEdgeHasNoDistance) {
  HeadMeasures head;
  head.add(pointing(AttentionKind::cross, {"▁p", "▁q", "</s>"}, {"▁a", "▁b", "</s>"}, {2, 0, 2}),
           {});
  EXPECT_EQ(head.rows(), 2U);
  EXPECT_EQ(head.offset.rows, 1U);
  EXPECT_DOUBLE_EQ(head.edge_mass.value(), 0.5);
  EXPECT_DOUBLE_EQ(head.offset.value(), -1);
}

TEST(Heads, FarPositionsFallIntoTheLastBins) {
  HeadMeasures head;
  std::vector<std::string> words;
  for (const char c : std::string("abcdefg")) words.push_back("▁" + std::string(1, c));
  head.add(pointing(AttentionKind::encoder, words, words, {6, 0, 2, 3, 4, 5, 0}), {});
  EXPECT_NEAR(head.profile[kReach + kReach].value(), 1.0 / 7, 1e-6);
  EXPECT_NEAR(head.profile[0].value(), 1.0 / 7, 1e-6);
  EXPECT_NEAR(head.distance.value(), 13.0 / 7, 1e-6);
}

TEST(Heads, SeparatorsAreTheEdgePunctuationAndGivenWords) {
  const std::vector<std::string> words = {"▁a", "▁and", "▁»,", "▁3.5", "</s>"};
  HeadMeasures head;
  head.add(pointing(AttentionKind::encoder, words, words, {1, 2, 3, 4, 0}), {"and"});
  EXPECT_EQ(share(head, Role::separator), Counted(3U, 4U));
}

TEST(Heads, LinksTellAlignedWordsFromTheirNeighbours) {
  const GoldAlignment gold = parse_pharaoh("0-0 1-1 3?2", "g");
  HeadMeasures head;  // q looks at p's word; r at its own, s's neighbour
  head.add_links(pointing(AttentionKind::cross, {"p", "q", "r", "s", "</s>"},
                          {"a", "b", "c", "d", "</s>"}, {1, 0, 3, 3, 4}),
                 gold);
  EXPECT_EQ(share(head, Role::aligned), Counted(1U, 3U));   // r; s has no link
  EXPECT_EQ(share(head, Role::previous), Counted(2U, 3U));  // q: 0, s: 3; r would need 1
  EXPECT_EQ(share(head, Role::next), Counted(1U, 2U));      // p: 1; q would need 3
}

TEST(Heads, AnAntecedentIsTheStrongestPositionBesideThePronoun) {
  const std::vector<std::string> source = {"the", "dog", "it", "slept", "</s>"};
  const std::vector<Antecedent> gold = {{.pronoun = 2, .antecedent = 1, .target_pronoun = 1}};
  AttentionMatrix encoder = pointing(AttentionKind::encoder, source, source, {0, 0, 2, 0, 0});
  const auto set_row = [](AttentionMatrix& matrix, std::size_t row, std::vector<float> weights) {
    std::copy(weights.begin(), weights.end(),
              matrix.weights.begin() + static_cast<std::ptrdiff_t>(row * weights.size()));
  };
  set_row(encoder, 2, {0.1f, 0.3f, 0.5f, 0.05f, 0.05f});
  HeadMeasures found;
  found.add_antecedents(encoder, gold, nullptr, "s:1");
  EXPECT_EQ(share(found, Role::antecedent), Counted(1U, 1U));

  AttentionMatrix cross =
      pointing(AttentionKind::cross, {"kano", "elo", "dorm", "</s>"}, source, {1, 0, 3, 4});
  set_row(cross, 1, {0.2f, 0.2f, 0.5f, 0.1f, 0.0f});  // `the` is the first of equals
  HeadMeasures missed;
  missed.add_antecedents(cross, gold, nullptr, "s:1");
  EXPECT_EQ(share(missed, Role::antecedent), Counted(0U, 1U));
}

TEST(Heads, ADecodersAntecedentIsTheTranslatedOne) {
  const std::vector<Antecedent> gold = {{.pronoun = 2, .antecedent = 1, .target_pronoun = 2}};
  const AttentionMatrix decoder = pointing(AttentionKind::decoder, {"un", "kano", "elo", "</s>"},
                                           {"<s>", "un", "kano", "elo"}, {0, 0, 2, 0});
  HeadMeasures head;
  head.add_antecedents(decoder, gold, nullptr, "s:1");
  EXPECT_EQ(head.role(Role::antecedent).of, 0U);
  const GoldAlignment links = parse_pharaoh("0-0 1-1 2-2", "g");
  head.add_antecedents(decoder, gold, &links, "s:1");
  EXPECT_EQ(share(head, Role::antecedent), Counted(1U, 1U));
  const GoldAlignment later = parse_pharaoh("1-3", "g");  // not read yet: nothing to look at
  head.add_antecedents(decoder, gold, &later, "s:1");
  EXPECT_EQ(head.role(Role::antecedent).of, 1U);
}

TEST(Heads, AnAntecedentOutsideTheSentenceIsNamed) {
  const AttentionMatrix words =
      pointing(AttentionKind::cross, {"p", "</s>"}, {"a", "b", "</s>"}, {0, 0});
  const auto error = [&](Antecedent one) {
    HeadMeasures head;
    return message_of<UserError>(
        [&] { head.add_antecedents(words, std::vector{one}, nullptr, "s:4"); });
  };
  EXPECT_THAT(error({.pronoun = 2}), HasSubstr("s:4: pronoun 2 of 2 words"));
  EXPECT_THAT(error({.antecedent = 2}), HasSubstr("s:4: antecedent 2"));
  EXPECT_THAT(error({.target_pronoun = 1}), HasSubstr("s:4: target pronoun 1 of 1"));
}

TEST(Heads, RolesAreNamedFromAShareAndANumberOfRowsOn) {
  HeadMeasures head;
  head.roles = {score::Proportion{15, 30}, score::Proportion{14, 30}, score::Proportion{29, 30},
                score::Proportion{9, 9}};
  EXPECT_THAT(head.named(0.5, 20), ElementsAre(Role::same_place, Role::previous));
  EXPECT_THAT(head.named(0.5, 9), ElementsAre(Role::same_word, Role::same_place, Role::previous));
  EXPECT_THAT(head.named(0.99, 20), IsEmpty());
  EXPECT_THAT(HeadMeasures{}.named(0, 0), IsEmpty());
}

TEST(HeadReport, GathersHeadsOverSentencesAndWritesThemAllTheWays) {
  HeadReport report({.least = 2});
  const std::vector<std::string> words = {"▁a", "b", "▁c", "</s>"};
  const GoldAlignment gold = parse_pharaoh("0-0 1-1", "g");
  for (int sentence = 0; sentence < 3; ++sentence)
    report.add({pointing(AttentionKind::encoder, words, words, {1, 2, 3, 0}),
                pointing(AttentionKind::cross, words, words, {0, 0, 2, 3})},
               {.links = &gold}, "s:1");
  ASSERT_EQ(report.heads().size(), 2U);
  EXPECT_EQ(report.sentences(), 3);
  EXPECT_EQ(report.heads()[0].rows(), 9U);                              // pieces
  EXPECT_EQ(share(report.heads()[1], Role::aligned), Counted(6U, 6U));  // words

  const auto lines = split(heads_csv(report), '\n');
  ASSERT_EQ(lines.size(), 4U);
  const auto header = split(lines[0], ',');
  ASSERT_EQ(split(lines[1], ',').size(), header.size());
  EXPECT_THAT(lines[1], testing::StartsWith("encoder,0,0,9,0.000000,"));
  EXPECT_THAT(lines[1], testing::EndsWith(",next"));
  EXPECT_THAT(lines[2], testing::EndsWith(",aligned same_place same_word"));
  const std::string table = heads_table(report);
  EXPECT_THAT(table, HasSubstr("encoder self-attention, 3 sentences"));
  EXPECT_THAT(table, HasSubstr("0      0     aligned, diagonal, same word "));
  const auto json = nlohmann::json::parse(heads_json(report));
  EXPECT_EQ(json["unit"], "pieces");
  EXPECT_EQ(json["heads"][0]["roles"], nlohmann::json({"next"}));
  EXPECT_EQ(json["heads"][1]["shares"]["aligned"]["rows"], 6);
  EXPECT_EQ(json["heads"][0]["profile"]["+1"], 1);
}

TEST(HeadReport, GoldThatDoesNotFitIsNamed) {
  HeadReport report({});
  const GoldAlignment gold = parse_pharaoh("0-1", "g");
  EXPECT_THAT(message_of<UserError>([&] {
                report.add({pointing(AttentionKind::cross, {"▁a", "</s>"}, {"▁b", "</s>"}, {0, 1})},
                           {.links = &gold}, "text.src:3");
              }),
              HasSubstr("text.src:3: the link 0-1 is outside"));
}

}  // namespace
}  // namespace heed::study
