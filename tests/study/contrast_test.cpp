#include "study/contrast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "message.h"
#include "study/pronouns.h"

namespace heed::study {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

TEST(Contrast, OnlyAStrictlyBetterScoreResolves) {
  EXPECT_TRUE((Contrast{.right = -1.5, .wrong = {-2, -1.6}}.resolved()));
  EXPECT_FALSE((Contrast{.right = -1.5, .wrong = {-2, -1.4}}.resolved()));
  EXPECT_FALSE((Contrast{.right = -1.5, .wrong = {-1.5}}.resolved()));
}

TEST(Contrast, CountsInAllAndByLabel) {
  const std::vector<Contrast> contrasts = {
      {.line = 0, .label = "f", .right = -1, .wrong = {-2}},
      {.line = 1, .label = "m", .right = -3, .wrong = {-2}},
      {.line = 2, .label = "f", .right = -3, .wrong = {-2, -9}}};
  const ContrastReport report = measure_contrasts(contrasts);
  EXPECT_DOUBLE_EQ(report.all.value(), 1.0 / 3);
  EXPECT_DOUBLE_EQ(report.by_label.at("f").value(), 0.5);
  EXPECT_THAT(contrast_table(report), HasSubstr("\nall          3         1       33.33"));
  EXPECT_EQ(contrast_csv(contrasts),
            "line,label,right,best_wrong,resolved\n"
            "0,f,-1.000000,-2.000000,1\n"
            "1,m,-3.000000,-2.000000,0\n"
            "2,f,-3.000000,-2.000000,0\n");
  const auto json = nlohmann::json::parse(contrast_json(report));
  EXPECT_EQ(json["sentences"], 3);
  EXPECT_EQ(json["labels"]["m"]["accuracy"], 0);
}

TEST(Contrast, EachRightLineBeginsASentenceWhereNoGroupSaysSo) {
  EXPECT_THAT(group_contrasts({"1", "0", " 0", "1", "0\t"}, {}, "c"),
              ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3, 4)));
}

TEST(Contrast, AGroupMayHoldItsRightLineAnywhere) {
  EXPECT_THAT(group_contrasts({"0", "1", "0", "1", "0"}, {"a", "a", "a", "b", "b"}, "c"),
              ElementsAre(ElementsAre(1, 0, 2), ElementsAre(3, 4)));
}

TEST(Contrast, AGroupWithoutOneRightAndAWrongLineIsNamed) {
  const auto error = [](const std::vector<std::string>& correct,
                        const std::vector<std::string>& group) {
    return message_of<UserError>([&] { group_contrasts(correct, group, "c"); });
  };
  EXPECT_THAT(error({"0", "1"}, {}), HasSubstr("c:1: the sentence that ends here has 0 right"));
  EXPECT_THAT(error({"1", "1", "0"}, {}), HasSubstr("c:1: the sentence that ends here has no"));
  EXPECT_THAT(error({"1", "0", "1"}, {"a", "a", "a"}), HasSubstr("c:3: the sentence that ends here "
                                                                 "has 2 right"));
  EXPECT_THAT(error({"1", "0", "1"}, {}), HasSubstr("c:3: the sentence that ends here has no"));
  EXPECT_THAT(error({"1", "yes"}, {}), HasSubstr("c:2: 'yes'"));
  EXPECT_THAT(group_contrasts({}, {}, "c"), IsEmpty());
}

TEST(Antecedents, AreFoundByTheHeaderAndSortedByThePronoun) {
  const auto found = parse_antecedents({"gender\tline\tpronoun\tantecedent\tnote\ttarget_pronoun",
                                        "f\t1\t9\t3\tx\t8", "m\t1\t4\t1\t\t5"},
                                       3, "a.tsv");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_THAT(found[0], IsEmpty());
  ASSERT_EQ(found[1].size(), 2U);
  EXPECT_EQ(found[1][0].pronoun, 4U);
  EXPECT_EQ(found[1][0].gender, "m");
  EXPECT_EQ(found[1][1].antecedent, 3U);
  EXPECT_EQ(found[1][1].target_pronoun, 8U);
}

TEST(Antecedents, AMistakeIsNamed) {
  const std::string header = "line\tpronoun\tantecedent\ttarget_pronoun\tgender";
  const auto error = [](const std::vector<std::string>& lines) {
    return message_of<UserError>([&] { parse_antecedents(lines, 3, "a.tsv"); });
  };
  EXPECT_THAT(error({}), HasSubstr("a.tsv:1: no column 'line'"));
  EXPECT_THAT(error({"line\tpronoun\tantecedent\tgender"}), HasSubstr("'target_pronoun'"));
  EXPECT_THAT(error({header, "0\t1\t2\t3"}), HasSubstr("a.tsv:2: fewer fields"));
  EXPECT_THAT(error({header, "0\t1\t2\t3\tm", "3\t1\t2\t3\tm"}), HasSubstr("a.tsv:3: line 3 of 3"));
  EXPECT_THAT(error({header, "0\t-1\t2\t3\tm"}), HasSubstr("'-1'"));
}

TEST(Pronouns, AreFoundInAnyCaseAndBetweenPunctuation) {
  const PronounForms forms = parse_forms({"m=elo", "f=Ela", "n=ele", "m=lui"});
  EXPECT_THAT(pronoun_genders("Elo, kano (ELA!) elena ele. lui eli", forms),
              ElementsAre("m", "f", "n", "m"));
  EXPECT_THAT(pronoun_genders("", forms), IsEmpty());
}

TEST(Pronouns, FormsThatAreNoneAreNamed) {
  for (const char* bad : {"elo", "m=", "=elo"})
    EXPECT_THAT(message_of<UserError>([&] { parse_forms({bad}); }),
                HasSubstr("'" + std::string(bad) + "'"));
  EXPECT_THAT(message_of<UserError>([] {
                parse_forms({"m=sie", "f=sie"});
              }),
              HasSubstr("'sie' is both m and f"));
  EXPECT_THAT(message_of<UserError>([] { parse_forms({"m=to ono"}); }),
              HasSubstr("--forms: 'm=to ono': a form is one word"));
  EXPECT_THAT(message_of<UserError>([] { parse_forms({"m"}, "evaluation.pronouns"); }),
              HasSubstr("evaluation.pronouns: 'm' is no GENDER=FORM"));
  EXPECT_THAT(message_of<UserError>([] { parse_forms({"m= !"}); }),
              HasSubstr("'m= !' is no GENDER=FORM"));
}

TEST(Pronouns, FormsMayHaveBlanksAndPunctuationAround) {
  const PronounForms forms = parse_forms({" m = elo", "f =\u00abEla\u00bb,"});
  EXPECT_THAT(forms, ElementsAre(Pair("ela", "f"), Pair("elo", "m")));
  EXPECT_THAT(pronoun_genders("elo (\u00abela\u00bb)", forms), ElementsAre("m", "f"));
}

TEST(Pronouns, NeedAFormOfEachGenderOfTheGold) {
  const std::string header = "line\tpronoun\tantecedent\ttarget_pronoun\tgender";
  const auto error = [&](const std::vector<std::string>& rows,
                         const std::vector<std::string>& forms) {
    std::vector<std::string> lines = rows;
    lines.insert(lines.begin(), header);
    const auto gold = parse_antecedents(lines, 3, "a.tsv");
    return message_of<UserError>([&] { require_genders(gold, parse_forms(forms), "a.tsv"); });
  };
  const std::vector<std::string> rows = {"2\t1\t0\t1\tm ", "0\t1\t0\t1\tf", "0\t4\t3\t1\tn"};
  EXPECT_EQ(error(rows, {"m=elo", "f=ela", "n=ele", "n=lo"}), "(nothing thrown)");
  EXPECT_EQ(error(rows, {"m=elo", "f=ela", "n=ele", "pl=eli"}), "(nothing thrown)");
  EXPECT_THAT(error(rows, {"f=ela", "n=ele", "M=elo"}),
              HasSubstr("a.tsv:2: no form is given for the gender 'm', only for M, f, n"));
  EXPECT_THAT(error({"0\t1\t0\t1\tm", "2\t1\t0\t1\t "}, {"m=elo"}),
              HasSubstr("a.tsv:3: the gender is blank"));
  EXPECT_THAT(error({}, {"m=elo"}), HasSubstr("a.tsv: names no pronoun"));
}

TEST(Pronouns, OfNoGenderAreNeverRight) {
  PronounReport report;
  report.add(std::vector<Antecedent>{{.pronoun = 2, .gender = ""}}, {});
  EXPECT_EQ(report.all().of, 1U);
  EXPECT_EQ(report.all().hits, 0U);
}

TEST(Pronouns, AnotherNumberOfThemIsWrongAsAWhole) {
  PronounReport report;
  report.add(std::vector<Antecedent>{{.pronoun = 2, .gender = "m"}, {.pronoun = 5, .gender = "f"}},
             {"m", "n"});
  report.add(std::vector<Antecedent>{{.pronoun = 1, .gender = "f"}}, {});
  report.add(std::vector<Antecedent>{{.pronoun = 1, .gender = "f"}}, {"f", "f"});
  report.add({}, {"n"});
  EXPECT_EQ(report.all().of, 4U);
  EXPECT_EQ(report.all().hits, 1U);
  EXPECT_EQ(report.by_gender().at("f").hits, 0U);
  EXPECT_THAT(report.written(), ElementsAre(Pair(Pair("f", ""), 2), Pair(Pair("f", "n"), 1),
                                            Pair(Pair("m", "m"), 1)));
  EXPECT_EQ(report.most_frequent().hits, 3U);
  EXPECT_THAT(pronoun_table(report), HasSubstr("as f  as m  as n  other count\n"));
  const auto json = nlohmann::json::parse(pronoun_json(report));
  EXPECT_EQ(json["accuracy"], 0.25);
  EXPECT_EQ(json["most_frequent"], 0.75);
  EXPECT_EQ(json["genders"]["f"]["written"]["n"], 1);
  EXPECT_EQ(json["genders"]["f"]["other_count"], 2);
}

}  // namespace
}  // namespace heed::study
