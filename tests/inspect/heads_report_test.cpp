// The report on what heads attend to, by gold links and antecedents that may be of other words than
// the model's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "inspect/aligners.h"
#include "inspect/heads.h"
#include "message.h"
#include "model/description/traits.h"
#include "temporary_folder.h"

namespace heed::inspect {
namespace {

using study::Role;
using ::testing::HasSubstr;

const std::vector<AttentionKind> kAllKinds{AttentionKind::encoder, AttentionKind::decoder,
                                           AttentionKind::cross};
const std::string kHeader = "line\tpronoun\tantecedent\ttarget_pronoun\tgender\n";

struct HeadReports : testing::Test {
  TemporaryFolder folder;
  decode::Translator translator =
      decode::make_translator(decode::random_model(decode::small_models()[0]));

  /// The report of heads, with antecedents and, where it is named, gold.
  study::HeadReport report(const text::Pairs& pairs, const std::string& antecedents,
                           const std::string& gold, const std::vector<AttentionKind>& kinds) {
    return head_report(translator, pairs,
                       {.kinds = kinds,
                        .options = {},
                        .gold = {read_gold(gold, pairs, {}), gold},
                        .antecedents = study::parse_antecedents(text::read_lines(antecedents),
                                                                pairs.source.size(), antecedents),
                        .antecedents_name = antecedents},
                       "s", "m");
  }
  static std::size_t antecedents_of(const study::HeadMeasures& head) {
    return head.role(Role::antecedent).of;
  }
};

TEST_F(HeadReports, AntecedentsAreLookedForInEveryKind) {
  const text::Pairs pairs{{"mira tolo sena rel", "kupo vadi"}, {"rel sena tolo mira", "vadi kupo"}};
  const std::string gold = folder.write("g", "0-3 1-2 2-1 3-0\n0-1 1-0\n");
  const auto with = [&](const std::string& row) {
    return report(pairs, folder.write("a", kHeader + row), gold, kAllKinds);
  };
  const study::HeadReport found = with("0\t0\t2\t3\tm\n");
  EXPECT_EQ(found.heads().size(), 3U * 2 * 3);
  for (const study::HeadMeasures& head : found.heads()) EXPECT_EQ(antecedents_of(head), 1U);
  EXPECT_THAT(message_of<UserError>([&] { with("1\t0\t2\t1\tm\n"); }),
              HasSubstr(":2: antecedent 2 of 2 words"));
  EXPECT_THAT(message_of<UserError>([&] { with("2\t0\t1\t1\tm\n"); }), HasSubstr("line 2 of 2"));
}

// The vocabulary writes blanks as U+2581: a word of it alone is no word to the model.
TEST_F(HeadReports, PronounsOfLinesWhoseWordsTheVocabularySeesOtherwiseAreLeftOut) {
  const text::Pairs pairs{{"mira \u2581 rel", "mira rel"}, {"rel \u2581 mira", "rel mira"}};
  const std::string gold = folder.write("g", "0-2 1-1 2-0\n0-1 1-0\n");
  const std::string file = folder.write("a", kHeader + "0\t0\t2\t2\tm\n1\t0\t1\t1\tm\n");
  using Kinds = std::vector<AttentionKind>;
  for (const auto& [kinds, links] : std::vector<std::pair<Kinds, std::string>>{
           {kAllKinds, gold},
           {{AttentionKind::cross}, ""},
           {{AttentionKind::encoder}, ""},
           {{AttentionKind::decoder}, gold},
           {{AttentionKind::encoder, AttentionKind::decoder}, gold}}) {
    const std::string told = logged([&] {
      const study::HeadReport found = report(pairs, file, links, kinds);
      for (const study::HeadMeasures& head : found.heads()) EXPECT_EQ(antecedents_of(head), 1U);
    });
    EXPECT_THAT(told, HasSubstr(file + ": the pronouns of 1 line left out, line 1 of the text "
                                       "first: the vocabulary of"));
    EXPECT_EQ(told.find("g: 1 line left out") == std::string::npos, links.empty()) << told;
  }
  // Only the target's words are others: the encoder has none of them.
  const text::Pairs target_alone{{"mira tolo rel", "mira rel"}, pairs.target};
  for (const auto& [kinds, links] : std::vector<std::pair<Kinds, std::string>>{
           {{AttentionKind::decoder}, gold},
           {{AttentionKind::encoder, AttentionKind::decoder}, ""},
           {{AttentionKind::encoder}, ""}}) {
    const std::string told = logged([&] { report(target_alone, file, links, kinds); });
    EXPECT_EQ(told.find(file + ": the pronouns of 1 line left out") == std::string::npos,
              kinds == Kinds{AttentionKind::encoder})
        << told;
  }
}

}  // namespace
}  // namespace heed::inspect
