#include "decode/search/glossary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <functional>

#include "base/error.h"
#include "temporary_folder.h"
#include "text/piece_rule.h"
#include "text/vocabulary.h"
#include "text/vocabulary_training.h"

namespace heed::decode {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

DecodeConfig exact() {
  DecodeConfig rules;
  rules.glossary_exact_case = true;
  return rules;
}

DecodeConfig parts() {
  DecodeConfig rules;
  rules.glossary_whole_words = false;
  return rules;
}

struct GlossaryFile : ::testing::Test {
  TemporaryFolder folder;

  Glossary read(const std::string& text, DecodeConfig rules = {}) const {
    rules.glossary = folder.write("terms.tsv", text);
    return Glossary(rules, "", "");
  }
  std::vector<std::size_t> terms_in(const std::string& line, const std::string& text,
                                    const DecodeConfig& rules = {}) const {
    return read(text, rules).terms_in(line);
  }
  static void expect_refused(const std::function<void()>& work, const std::string& what) {
    try {
      work();
      FAIL() << what;
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(), HasSubstr(what));
    }
  }
};

TEST_F(GlossaryFile, MayBeOfNoUse) {
  const Glossary glossary = read("Hund\tdog\n");
  EXPECT_TRUE(glossary.is_in_any({"Katze", "ein Hund"}));
  EXPECT_FALSE(glossary.is_in_any({"Katze", "Hunde"}));
  EXPECT_FALSE(glossary.is_in_any({}));
  testing::internal::CaptureStderr();
  EXPECT_TRUE(read("# nothing\n").is_in_any({"Katze"}));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("terms.tsv: it has no terms"));
}

TEST_F(GlossaryFile, ThatIsNotThereIsNamedByItsKey) {
  DecodeConfig rules;
  rules.glossary = folder / "no.tsv";
  expect_refused([&] { Glossary(rules, "", ""); }, "decoding.glossary: no file '");
}

TEST_F(GlossaryFile, StandsInTheLine) {
  const Glossary glossary = read("Hund\tdog\thound\nder große Hund\tthe big dog\n");
  EXPECT_EQ(glossary.marked("Ein  HUND, der große Hund."),
            "Ein HUND <term> dog </term>, der große Hund <term> the big dog </term>.");
  EXPECT_EQ(glossary.marked("ein  Hunde "), "ein  Hunde ");
  // Its small letter is two characters.
  EXPECT_EQ(glossary.marked("\u0130 Hund"), "i\u0307 hund <term> dog </term>");
}

TEST_F(GlossaryFile, NamesTheLineThatIsBad) {
  EXPECT_THAT(terms_in("Hund", ""), IsEmpty());
  expect_refused([&] { read("Hund\tdog\n\nKatze\n"); },
                 "terms.tsv: line 3: 'Katze' is not a term, a tab and its target");
  expect_refused([&] { read("\tdog\n"); }, "terms.tsv: line 1: column 1 is empty");
  expect_refused([] { Glossary({.glossary = "/nowhere.tsv"}, "", ""); }, "no file '/nowhere.tsv'");
}

TEST_F(GlossaryFile, HasAllTargetsOfATermThatIsThereTwice) {
  const std::string terms = "Hund\tdog\nKatze\tcat\nhund\thound\tdog\n";
  const Glossary glossary = read(terms);
  EXPECT_THAT(glossary.terms_in("Katze, Hund"), ElementsAre(1, 0));
  EXPECT_EQ(glossary.obeyed({"Hund", "Hund"}, {"a hound", "cat"}, {{"dog", "dog"}}).hits, 1U);
  EXPECT_EQ(glossary.marked("Hund"), "Hund <term> dog </term>");
  EXPECT_THAT(terms_in("hund", terms, exact()), ElementsAre(2));
}

TEST_F(GlossaryFile, IsChosenByTheLanguagesOfTheModel) {
  DecodeConfig rules;
  rules.glossary = folder.write("terms.csv", "en;fr;de\ndog;chien;Hund\n");
  EXPECT_EQ(Glossary(rules, "de", "en").marked("Hund"), "Hund <term> dog </term>");
  EXPECT_EQ(Glossary(rules, "fr", "de").marked("le chien"), "le chien <term> Hund </term>");
  expect_refused([&] { Glossary(rules, "de", "cs"); }, "terms.csv: its terms are in en, fr, de");
}

TEST_F(GlossaryFile, TakesWhatLooksTheSameForOne) {
  const std::string terms = "l'eau\twater\nre\u0301sume\u0301\tsummary\nDonau\tDanube\n";
  EXPECT_THAT(terms_in("L\u2019eau, le résumé; Do\u00ADnau", terms), ElementsAre(0, 1, 2));
  EXPECT_THAT(terms_in("ｌ＇ｅａｕ, Ｄｏｎａｕ ﬁn", terms + "fin\tend\n"), ElementsAre(0, 2, 3));
  EXPECT_THAT(terms_in("l\u02BCeau", terms), ElementsAre(0));
  EXPECT_THAT(terms_in("l\u2019eau", "l\u2019e\u200Bau\twater\n", exact()), ElementsAre(0));
  // The line stays as it is, but for its blanks and what nobody sees.
  EXPECT_EQ(read(terms).marked("De  l\u2019eau\u00AD."), "De l\u2019eau <term> water </term>.");
  const Glossary glossary = read("water\tl'eau\nsummary\tr\u00E9sum\u00E9\n");
  EXPECT_EQ(glossary
                .obeyed({"water", "summary"}, {"de l\u2019eau", "re\u0301sume\u0301"},
                        {{"l'eau", "résumé"}})
                .hits,
            2U);
}

TEST_F(GlossaryFile, HasTheTermsOfARequest) {
  const Glossary glossary({}, {{"Hund", "dog"}, {"der  große Hund", "big", "great"}});
  EXPECT_THAT(glossary.terms_in("hund, Der große Hund"), ElementsAre(0, 1));
  EXPECT_THAT(Glossary(exact(), {{"hund", "dog"}, {"Hund", "Dog"}}).terms_in("Hund"),
              ElementsAre(1));
  EXPECT_THAT(Glossary({}, {}).terms_in("Hund"), IsEmpty());
  expect_refused(
      [] {
        Glossary({}, {{"Hund", "dog"}, {" hund", "hound"}});
      },
      "glossary: ' hund' is there twice");
}

TEST_F(GlossaryFile, FindsTermsFromLeftToRightTheLongestFirst) {
  const std::string terms =
      "# German\tEnglish\n\n Bank \tbank\r\nBank von\u00A0 England\tBank of England\n"
      "von\tof\nein\ta\n";
  EXPECT_THAT(terms_in("Die Bank von England ist eine Bank.", terms), ElementsAre(1, 0));
  // Some words begin like a longer term and go on otherwise.
  EXPECT_THAT(terms_in("Bank  von Englands Küste, ein Bank", terms), ElementsAre(0, 2, 3));
  EXPECT_THAT(terms_in("Banken", terms), IsEmpty());
  EXPECT_THAT(terms_in("", terms), IsEmpty());
}

TEST_F(GlossaryFile, KeepsToItsRules) {
  EXPECT_THAT(terms_in("BÄR-Hund, Hundehütte", "bär\tbear\nHund\tdog\n"), ElementsAre(0, 1));
  EXPECT_THAT(terms_in("hund HUND", "Hund\tdog\n", exact()), IsEmpty());
  EXPECT_THAT(terms_in("Windhunde", "Hund\tdog\n"), IsEmpty());
  EXPECT_THAT(terms_in("Windhunde", "hund\tdog\n", parts()), ElementsAre(0));
  // Words of these scripts follow each other without blanks.
  EXPECT_THAT(terms_in("我喜欢猫。", "猫\tcat\n"), ElementsAre(0));
}

TEST_F(GlossaryFile, CountsTermsThatAreObeyed) {
  const Glossary glossary = read("Hund\tdog\thound\nKatze\tcat\n");
  const TextLines sources = {"Hund und Katze", "Katze", "Hund", "Hund", "Vogel"};
  const TextLines first = {"dog and cat", "animal", "an animal", "Dog.", "dog"};
  const TextLines second = {"both", "pet", "a hound", "", "cat"};
  // No reference has the cat of the second line; "cats" and "dogs" are other words.
  const TextLines hypotheses = {"a hound and cats", "cat", "The dog", "dogs", "dog"};
  const score::Proportion both = glossary.obeyed(sources, hypotheses, {first, second});
  EXPECT_EQ(both.of, 4U);
  EXPECT_EQ(both.hits, 2U);
  EXPECT_EQ(glossary.obeyed(sources, hypotheses, {second}).of, 1U);
  EXPECT_EQ(glossary.obeyed({}, {}, {{}}).of, 0U);
}

TEST_F(GlossaryFile, CountsTermsOfWhichTargetsOverlapOrAreShared) {
  const Glossary glossary = read("Haus\thouse\tthe house\nHeim\thome\thouse\nHof\the\n");
  const TextLines sources = {"Haus Heim Hof", "Haus Hof"};
  // "he" is in "the" alone, which is another word.
  EXPECT_EQ(glossary.obeyed(sources, {"the house", "the home"}, {{"the house", "the house he"}}).of,
            4U);
  EXPECT_EQ(
      glossary.obeyed(sources, {"the house", "the home"}, {{"the house", "the house he"}}).hits,
      2U);
}

TEST_F(GlossaryFile, SpellsTargetsInPieces) {
  // Pieces of letters alone: one that begins words, and "abc" without it.
  const auto vocabulary = text::train_vocabulary(
      {.files = {folder.write("text", "abc Abc bca\n")}, .size = 11, .algorithm = "bpe"});
  const auto pieces_of = [&](const std::string& text, const DecodeConfig& rules = {}) {
    Glossary glossary = read("x\t" + text, rules);
    glossary.spell(vocabulary);
    return glossary.terms_for("x").at(0);
  };
  const TermPieces both = {vocabulary.encode("abc"), vocabulary.encode("Abc")};
  EXPECT_EQ(pieces_of("abc"), both);
  EXPECT_THAT(pieces_of("abc", exact()), ElementsAre(both[0]));
  EXPECT_THAT(pieces_of("bca"), ElementsAre(vocabulary.encode("bca")));  // B is not known
  EXPECT_THAT(pieces_of("xyz\tbca"), ElementsAre(vocabulary.encode("bca")));
  expect_refused([&] { pieces_of("xyz"); }, "the vocabulary has no pieces for 'xyz'");

  Glossary words = read("x\tabc"), anywhere = read("x\tabc", parts());
  words.spell(vocabulary);
  anywhere.spell(vocabulary);
  ASSERT_EQ(std::ssize(words.inside_words()), vocabulary.size());
  for (int32_t id = 0; id < vocabulary.size(); ++id)
    EXPECT_EQ(words.inside_words()[id] != 0, std::isalpha(vocabulary.piece(id)[0]) != 0)
        << vocabulary.piece(id);
  EXPECT_TRUE(anywhere.inside_words().empty());
  EXPECT_TRUE(words.terms_for("y").empty());
}

TEST_F(GlossaryFile, KnowsWhichPiecesOfCutTextEndTheirWords) {
  const std::string codes = "#version: 0.2\nH u\nHu n\nHun d</w>\n";
  const auto cut = text::Vocabulary::from_model(
      text::model_of_pieces({"Hund", "Hof@@", "hund"}, {}, {.codes = codes}), "pieces");
  Glossary words = read("dog\tHund", exact()), anywhere = read("dog\tHund", parts());
  words.spell(cut);
  anywhere.spell(cut);
  EXPECT_THAT(words.terms_for("dog").at(0), ElementsAre(ElementsAre(4)));
  EXPECT_THAT(words.inside_words(), testing::Each(0));
  EXPECT_THAT(words.before_more(), ElementsAre(0, 0, 0, 0, 0, 1, 0));
  EXPECT_TRUE(anywhere.before_more().empty());
}

}  // namespace
}  // namespace heed::decode
