#include "text/sentences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace heed::text {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// The sentences with a bar between them.
std::string cut(const std::string& text, const std::string& language) {
  std::string out;
  for (const std::string_view sentence : sentences_of(text, language))
    out += (out.empty() ? "" : "|") + std::string(sentence);
  return out;
}

TEST(Sentences, EndBehindMarksAndTheQuotesThatTheyClose) {
  EXPECT_EQ(cut("It rains. Does it? Yes! Well… No.", "en"), "It rains.|Does it?|Yes!|Well…|No.");
  EXPECT_EQ(cut("He said: \"It rains.\" She left. (It did.) \"So?\"", "en"),
            "He said: \"It rains.\"|She left.|(It did.)|\"So?\"");
  EXPECT_EQ(cut("„Es regnet.“ Er ging. »Ja?« »Nein.«", "de"),
            "„Es regnet.“|Er ging.|»Ja?«|»Nein.«");
  EXPECT_EQ(cut("« Il pleut. » Elle part. « Oui ? », dit-il.", "fr"),
            "« Il pleut. »|Elle part.|« Oui ? », dit-il.");
  EXPECT_EQ(cut("Il pleut. «\u00A0oui\u00A0», dit-il. «\u202FOui\u202F».", "fr"),
            "Il pleut. «\u00A0oui\u00A0», dit-il.|«\u202FOui\u202F».");
  EXPECT_EQ(cut("¿Llueve? ¡Sí! Vamos.", "es"), "¿Llueve?|¡Sí!|Vamos.");
  EXPECT_EQ(cut("下雨了。他走了！“好吗？”是。", "zh"), "下雨了。|他走了！|“好吗？”|是。");
  EXPECT_EQ(cut("Идёт дождь. Он ушёл. ٣", "ru"), "Идёт дождь.|Он ушёл.|٣");
}

// A search past all marks at each of them takes minutes.
TEST(Sentences, OfMarksAloneAreReadOnce) {
  std::string marks;
  for (int i = 0; i < 200000; ++i) marks += "。、";
  EXPECT_THAT(sentences_of(marks, "zh"), SizeIs(200001));
}

TEST(Sentences, DoNotEndBeforeSmallLettersAndInsideWords) {
  EXPECT_EQ(cut("\"Really?\" he asked... and left heed.example.org at 3.15 a.m. on foot.", "en"),
            "\"Really?\" he asked... and left heed.example.org at 3.15 a.m. on foot.");
  EXPECT_EQ(cut("Er kam (z.B. gestern) um 3.15 Uhr.", "de"), "Er kam (z.B. gestern) um 3.15 Uhr.");
}

TEST(Sentences, DoNotEndBehindAbbreviationsAndInitials) {
  EXPECT_EQ(cut("Mr. Smith met J. R. Brown of the U.S. Army at No. 5. He said no. The end.", "en"),
            "Mr. Smith met J. R. Brown of the U.S. Army at No. 5.|He said no.|The end.");
  EXPECT_EQ(cut("It left the U.S. The army of Acme Inc. Chairman etc. We left.", "en"),
            "It left the U.S.|The army of Acme Inc. Chairman etc.|We left.");
  EXPECT_EQ(cut("Dr. Meier wohnt in Nr. 5, z. B. Haus A. Er singt usw. Das ist St. Pauli.", "de"),
            "Dr. Meier wohnt in Nr. 5, z. B. Haus A.|Er singt usw.|Das ist St. Pauli.");
  EXPECT_EQ(cut("M. Dupont et Mme. Durand, cf. Paris, etc. L'Europe dort.", "fr"),
            "M. Dupont et Mme. Durand, cf. Paris, etc.|L'Europe dort.");
  EXPECT_EQ(cut("El Sr. García y la Dra. Ruiz van a EE. UU. En casa.", "es"),
            "El Sr. García y la Dra. Ruiz van a EE. UU.|En casa.");
  EXPECT_EQ(cut("Dr. Meier kommt.", "any"), "Dr.|Meier kommt.");
}

TEST(Sentences, NumbersMayBeOrdinals) {
  EXPECT_EQ(cut("Am 3. Mai 1990. Der 2. Tag. Es sind 12. Die Frau. Ludwig XIV. Frankreich.", "de"),
            "Am 3. Mai 1990.|Der 2. Tag.|Es sind 12.|Die Frau.|Ludwig XIV. Frankreich.");
  EXPECT_EQ(cut("It has 12. Then 13. Fine.", "en"), "It has 12.|Then 13.|Fine.");
  EXPECT_EQ(cut("1. Introduction. More.", "en"), "1. Introduction.|More.");
  EXPECT_EQ(cut("١. مقدمة. المزيد.", "ar"), "١. مقدمة.|المزيد.");  // digits of another script
}

TEST(Sentences, ALanguageIsToldByItsCode) {
  EXPECT_EQ(cut("Hr. Meier.", "deu_Latn"), "Hr. Meier.");
  EXPECT_EQ(cut("Mr. Meier.", "EN"), "Mr. Meier.");
  for (const std::string other : {"", "any", "source", "est", "_de"})
    EXPECT_EQ(cut("Hr. Meier.", other), "Hr.|Meier.");
}

TEST(Sentences, NothingIsLost) {
  EXPECT_THAT(sentences_of("", "en"), IsEmpty());
  EXPECT_THAT(sentences_of(" \t ", "en"), IsEmpty());
  EXPECT_THAT(sentences_of(" . ! ", "en"), ElementsAre(".", "!"));
  EXPECT_THAT(sentences_of("no end", "en"), ElementsAre("no end"));
  EXPECT_THAT(sentences_of("a\xFF. B\xC3", "en"), ElementsAre("a\xFF.", "B\xC3"));
}

TEST(Clauses, AreCutNearTheMiddleBehindTheStrongestMark) {
  const auto upto = [](std::size_t most) {
    return [most](std::string_view part) { return part.size() <= most; };
  };
  EXPECT_THAT(clauses_of("one two, three; four five", upto(25)),
              ElementsAre("one two, three; four five"));
  EXPECT_THAT(clauses_of("one two, three; four five", upto(20)),
              ElementsAre("one two, three;", "four five"));
  EXPECT_THAT(clauses_of("one two, three; four five", upto(10)),
              ElementsAre("one two,", "three;", "four five"));
  EXPECT_THAT(clauses_of("a; one two three four five six", upto(20)),  // "a;" is no half
              ElementsAre("a; one two three", "four five six"));
  EXPECT_THAT(clauses_of("äöüß", upto(5)), ElementsAre("äö", "üß"));
  EXPECT_THAT(clauses_of("ä", upto(1)), ElementsAre("ä"));
  EXPECT_THAT(clauses_of("一二，三四", upto(9)), ElementsAre("一二，", "三四"));
  EXPECT_THAT(clauses_of(std::string(100000, 'a'), upto(1000)), SizeIs(128));
}

}  // namespace
}  // namespace heed::text
