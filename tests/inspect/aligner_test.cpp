// Links of words out of attention, by a translator alone: no folder, no command line.
#include "inspect/aligner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "inspect/aligners.h"
#include "inspect/attention_maps.h"
#include "message.h"
#include "study/alignment.h"
#include "temporary_folder.h"

namespace heed::inspect {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

const text::Pairs kPairs{{"mira tolo sena", "", "kupo"}, {"rel vadi", "", "vadi vadi kupo rel"}};

TEST(Aligner, LinksWordsByTheWeightsThatItsChoiceNames) {
  decode::Translator translator =
      decode::make_translator(decode::random_model(decode::small_models()[0]));
  Aligner aligner = random_aligner(0);
  EXPECT_EQ(usual_choice(aligner.traits()),
            (study::AlignmentChoice{.layer = 0, .head = kMeanOfHeads}));
  for (const int64_t head : {int64_t{kMeanOfHeads}, int64_t{2}}) {
    const auto links =
        aligner.align(kPairs, 0, {.choice = {.layer = 1, .head = head, .reads = head > 0}});
    const auto maps =
        attention_maps(translator, kPairs.source, kPairs.target, {.layers = {1}, .heads = {head}});
    ASSERT_EQ(links.size(), 3U);
    for (const std::size_t i : {0U, 2U})
      EXPECT_EQ(links[i], study::word_alignment(maps[i].matrices[0], head > 0));
    EXPECT_THAT(links[1], IsEmpty());
  }
}

TEST(Aligner, LongLinesGetNoLinksAndAreNamed) {
  Aligner aligner = random_aligner(1, {.max_source_length = 12});
  const LinkRule rule{usual_choice(aligner.traits())};
  EXPECT_EQ(rule.choice, (study::AlignmentChoice{.layer = 0, .head = 0}));
  const text::Pairs pairs{{"mira", "mira tolo sena kupo vadi rel nostra mira tolo"},
                          {"rel", "rel"}};
  const auto links = aligner.align(pairs, 10, rule);
  EXPECT_THAT(links[1], IsEmpty());
  EXPECT_THAT(logged([&] { aligner.warn_of_lines_without_links(); }),
              HasSubstr("in 1 line, line 12 first, a side has more than 12 pieces"));
  EXPECT_FALSE(aligner.has_links(11));
  EXPECT_TRUE(aligner.has_links(10));
}

// Here with the length that heed itself allows.
TEST(Aligner, ALineThatIsTooLongStopsNothing) {
  Aligner aligner = random_aligner(1);
  const LinkRule rule{usual_choice(aligner.traits())};
  const text::Pairs pairs{{"mira rel", long_line(1100), "sena"}, {"rel mira", "mira", "tolo"}};
  std::vector<study::Alignment> links;
  EXPECT_THAT(logged([&] {
                links = aligner.align(pairs, 0, rule);
                aligner.warn_of_lines_without_links();
              }),
              HasSubstr("m: in 1 line, line 2 first, a side has more than 1024 pieces"));
  ASSERT_THAT(links, SizeIs(3));
  EXPECT_THAT(links[0], Not(IsEmpty()));
  EXPECT_THAT(links[1], IsEmpty());
  EXPECT_THAT(links[2], Not(IsEmpty()));
  const GoldPairs gold{pairs, reversed_links(pairs), "g"};
  const std::string left_out = "g: 1 line left out, line 2 first: a side has more than 1024 pieces";
  EXPECT_THAT(logged([&] { aligner.sweep(gold).best(); }), HasSubstr(left_out));
  EXPECT_THAT(logged([&] { EXPECT_EQ(aligner.sweep(gold).sentences(), 2); }), HasSubstr(left_out));
}

TEST(Aligner, ABlankSideHasNoLinks) {
  const auto links =
      by_usual_rule(random_aligner(1)).align({{"mira rel", "", "sena"}, {"rel mira", "", ""}}, 0);
  ASSERT_THAT(links, SizeIs(3));
  EXPECT_THAT(links[0], Not(IsEmpty()));
  EXPECT_THAT(links[1], IsEmpty());
  EXPECT_THAT(links[2], IsEmpty());
}

TEST(Aligner, TuningTakesTheBestChoice) {
  Aligner aligner = random_aligner(0);
  const GoldPairs gold{kThreePairs, reversed_links(kThreePairs), "g"};
  const study::AlignmentChoice chosen = aligner.sweep(gold).best();
  const study::AlignmentSweep sweep = aligner.sweep(gold);
  double best = 1;
  for (const auto& [choice, error] : sweep.errors()) best = std::min(best, error.rate());
  EXPECT_EQ(sweep.errors().at(chosen).rate(), best);
  EXPECT_LT(best, 1);
}

TEST(Aligner, TheMeanOfARecurrentModelsHeadsIsTheDefault) {
  EXPECT_EQ(describe(usual_choice(random_aligner(7).traits())),
            "layer 0, mean of heads, --aligned-step emits");
}

TEST(Aligner, InALayerWithOneHeadLeftTheMeanIsThatHead) {
  model::ModelConfig config = decode::small_models()[0];
  config.pruned_heads = {"cross.0.0", "cross.0.2"};
  Aligner aligner(decode::make_translator(decode::random_model(config)), config, "m");
  const study::AlignmentChoice choice = usual_choice(aligner.traits());
  EXPECT_EQ(choice, (study::AlignmentChoice{.layer = 0, .head = 0}));
  EXPECT_EQ(mean_head_of(aligner.traits(), 0), 0);
  EXPECT_EQ(mean_head_of(aligner.traits(), 1), kMeanOfHeads);  // another layer has its mean
  const auto sweep = aligner.sweep({kThreePairs, reversed_links(kThreePairs), "g"});
  EXPECT_TRUE(sweep.errors().contains(choice));
}

// The vocabulary writes blanks as U+2581: a word of it alone is no word to the model.
TEST(Aligner, LinesWhoseWordsTheVocabularySeesOtherwiseAreLeftOut) {
  Aligner aligner = random_aligner(1);
  const LinkRule rule{usual_choice(aligner.traits())};
  const text::Pairs pairs{{"mira \u2581 rel", "mira rel"}, {"rel \u2581 mira", "rel mira"}};
  EXPECT_THAT(logged([&] {
                EXPECT_EQ(aligner.sweep({pairs, reversed_links(pairs), "g"}).sentences(), 1);
              }),
              HasSubstr("g: 1 line left out, line 1 first: the vocabulary of"));
  EXPECT_THAT(logged([&] {
                EXPECT_THAT(aligner.align(pairs, 0, rule)[0], IsEmpty());
                aligner.warn_of_lines_without_links();
              }),
              HasSubstr("m: in 1 line, line 1 first, its vocabulary finds other words"));
}

TEST(Gold, MayBeTurnedRound) {
  const TemporaryFolder folder;
  const text::Pairs pairs{{"mira rel tolo", "sena kupo"}, {"rel vadi", "kupo"}};
  const auto plain = read_gold(folder.write("plain", "2-0 1?1\n1-0\n"), pairs, {});
  const auto swapped =
      read_gold(folder.write("swapped", "0-2 1?1\n0-1\n"), pairs, {.swapped = true});
  ASSERT_THAT(swapped, SizeIs(2));
  const GoldPairs turned = reversed({pairs, plain, "g"});
  EXPECT_EQ(turned.pairs.source, pairs.target);
  EXPECT_EQ(turned.pairs.target, pairs.source);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_EQ(swapped[i].sure, plain[i].sure);
    EXPECT_EQ(swapped[i].possible, plain[i].possible);
    EXPECT_EQ(turned.gold[i].sure, study::reversed(plain[i].sure));
    EXPECT_EQ(turned.gold[i].possible, study::reversed(plain[i].possible));
  }
  const std::string far = folder.write("far", "0-1 3-0\n0-0\n");
  const std::string message = message_of<UserError>([&] { read_gold(far, pairs, {}); });
  for (const std::string& part : {far + ":1", std::string("3-0"), std::string("3 source")})
    EXPECT_THAT(message, HasSubstr(part));
}

TEST(Aligner, NeedsAttention) {
  EXPECT_THAT(message_of<UserError>([] { random_aligner(2); }),
              HasSubstr("m: this model has no attention to align by (model.attention: none)"));
}

TEST(KeepsWords, OfEachKindWhereItHasThem) {
  const std::vector<std::string> two{"▁a", "▁b", "</s>"}, three{"▁a", "▁b", "▁c", "</s>"};
  const study::AttentionMatrix cross{.target = two, .source = three},
      encoder{.kind = AttentionKind::encoder, .target = three, .source = three},
      decoder{.kind = AttentionKind::decoder, .target = two, .source = three};
  EXPECT_TRUE(keeps_words({cross, encoder, decoder}, "a b c", "a b"));
  EXPECT_FALSE(keeps_words({cross}, "a b c", "a"));
  EXPECT_FALSE(keeps_words({cross}, "a b", "a b"));
  EXPECT_TRUE(keeps_words({encoder}, "a b c", "another number of words"));
  EXPECT_TRUE(keeps_words({decoder}, "another", "a b"));
  EXPECT_TRUE(keeps_words({}, "a", "b c"));
}

}  // namespace
}  // namespace heed::inspect
