// Links of words out of attention, by a translator alone: no folder, no command line.
#include "inspect/aligner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "decode/random_models.h"
#include "inspect/attention_maps.h"
#include "inspect/gold.h"
#include "message.h"

namespace heed::inspect {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const text::Pairs kPairs{{"mira tolo sena", "", "kupo"}, {"rel vadi", "", "vadi vadi kupo rel"}};

Aligner aligner_of(std::size_t which, decode::DecodeConfig config = {}) {
  const model::ModelConfig model = decode::small_models()[which];
  return {decode::make_translator(decode::random_model(model), std::move(config)), model, "m"};
}

TEST(Aligner, LinksWordsByTheWeightsThatItsChoiceNames) {
  decode::Translator translator =
      decode::make_translator(decode::random_model(decode::small_models()[0]));
  Aligner aligner = aligner_of(0);
  EXPECT_EQ(aligner.choice, (study::AlignmentChoice{.layer = 0, .head = kMeanOfHeads}));
  for (const int64_t head : {int64_t{kMeanOfHeads}, int64_t{2}}) {
    aligner.choice = {.layer = 1, .head = head, .reads = head > 0};
    const auto links = aligner.align(kPairs, 0);
    const auto maps =
        attention_maps(translator, kPairs.source, kPairs.target, {.layers = {1}, .heads = {head}});
    ASSERT_EQ(links.size(), 3U);
    for (const std::size_t i : {0U, 2U})
      EXPECT_EQ(links[i], study::word_alignment(maps[i].matrices[0], head > 0));
    EXPECT_THAT(links[1], IsEmpty());
  }
}

TEST(Aligner, LongLinesGetNoLinksAndAreNamed) {
  Aligner aligner = aligner_of(1, {.max_source_length = 12});
  EXPECT_EQ(aligner.choice, (study::AlignmentChoice{.layer = 0, .head = 0}));
  EXPECT_EQ(aligner.longest(), 12);
  const text::Pairs pairs{{"mira", "mira tolo sena kupo vadi rel nostra mira tolo"},
                          {"rel", "rel"}};
  const auto links = aligner.align(pairs, 10);
  EXPECT_THAT(links[1], IsEmpty());
  EXPECT_THAT(aligner.long_lines(), ElementsAre(12));
  EXPECT_FALSE(aligner.has_links(11));
  EXPECT_TRUE(aligner.has_links(10));
}

TEST(Aligner, NeedsAttention) {
  EXPECT_THAT(message_of<UserError>([] { aligner_of(2); }),
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
