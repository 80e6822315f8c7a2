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
  const auto count = [](const std::string& part, const std::string& language) {
    std::string text;
    for (int i = 0; i < 50000; ++i) text += part;
    return sentences_of(text, language).size();
  };
  EXPECT_EQ(count("。好", "zh"), 50001U);
  EXPECT_EQ(count("。、", "zh"), 1U);
  EXPECT_EQ(count("X. ", "en"), 1U);
  EXPECT_EQ(count(". ", "en"), 1U);
  EXPECT_EQ(count(".)\u00A0-", "en"), 50001U);
  EXPECT_EQ(count("「。", "ja"), 50000U);
  EXPECT_EQ(count("「。」と", "ja"), 1U);
  EXPECT_EQ(count("x.[1", "en"), 1U);
  EXPECT_EQ(count("a.b", "en"), 1U);
  EXPECT_EQ(count("! 😀", "en"), 50001U);
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
  EXPECT_EQ(cut("Dr. Meier kommt. Usw. Er geht.", "any"), "Dr. Meier kommt.|Usw.|Er geht.");
}

TEST(Sentences, EndAtTheMarksOfEveryScript) {
  EXPECT_EQ(cut("ዝናብ ይጥላል። እሱ ሄደ፧ አዎ።", "am"), "ዝናብ ይጥላል።|እሱ ሄደ፧|አዎ።");
  EXPECT_EQ(cut("ዝናብ ይጥላል፡፡ እሱ ሄደ:: አዎ፣ መጣ።", "ti"), "ዝናብ ይጥላል፡፡|እሱ ሄደ::|አዎ፣ መጣ።");
  EXPECT_EQ(cut("Անձրև է։ Ո՞վ եկավ։ Նա գնաց: Ժամը 12:30 է:", "hy"),
            "Անձրև է։|Ո՞վ եկավ։|Նա գնաց:|Ժամը 12:30 է:");
  EXPECT_EQ(cut("Նա ասաց. «Գնա՛»։", "hy"), "Նա ասաց. «Գնա՛»։");  // the dot is a colon
  EXPECT_EQ(cut("မိုးရွာသည်။ သူ၊ သွားသည်။ဟုတ်ကဲ့။", "my"), "မိုးရွာသည်။|သူ၊ သွားသည်။|ဟုတ်ကဲ့။");
  EXPECT_EQ(cut("មានភ្លៀង។ គាត់ទៅ។ ផ្លែឈើ ។ល។ ចប់៕", "km"), "មានភ្លៀង។|គាត់ទៅ។|ផ្លែឈើ ។ល។|ចប់៕");
  EXPECT_EQ(cut("ཆར་པ་བབས། ཁོ་ཕྱིན་ནས། ལོག་སོང་།། རྫོགས།", "bo"), "ཆར་པ་བབས།|ཁོ་ཕྱིན་ནས། ལོག་སོང་།།|རྫོགས།");
  EXPECT_EQ(cut("बारिश है। डॉ. राम गए। क्यों?", "hi"), "बारिश है।|डॉ. राम गए।|क्यों?");
  EXPECT_EQ(cut("বৃষ্টি হচ্ছে। সে গেল॥ কেন?", "bn"), "বৃষ্টি হচ্ছে।|সে গেল॥|কেন?");
  EXPECT_EQ(cut("ਮੀਂਹ ਪੈਂਦਾ ਹੈ| ਉਹ ਗਿਆ।", "pa"),
            "ਮੀਂਹ ਪੈਂਦਾ ਹੈ|"
            "|ਉਹ ਗਿਆ।");
  EXPECT_EQ(cut("श्लोक एक ॥ १ ॥ श्लोक दो ॥ २ ॥", "sa"), "श्लोक एक ॥ १ ॥|श्लोक दो ॥ २ ॥");
  EXPECT_EQ(cut("Βρέχει; Ναι. Έφυγε\u037E Όχι· ίσως.", "el"),
            "Βρέχει;|Ναι.|Έφυγε\u037E|Όχι· ίσως.");
  EXPECT_EQ(cut("It rains; He left.", "el"), "It rains; He left.");
  EXPECT_EQ(cut("هل تمطر؟ نعم. ذهب!", "ar"), "هل تمطر؟|نعم.|ذهب!");
  EXPECT_EQ(cut("بارش ہے۔ وہ گیا۔ کیوں؟", "ur"), "بارش ہے۔|وہ گیا۔|کیوں؟");
  EXPECT_EQ(cut("ᱫᱟᱜ ᱮᱫᱟᱭ᱾ ᱩᱱᱤ ᱪᱟᱞᱟᱣ᱿ ᱦᱮᱸ᱾", "sat"), "ᱫᱟᱜ ᱮᱫᱟᱭ᱾|ᱩᱱᱤ ᱪᱟᱞᱟᱣ᱿|ᱦᱮᱸ᱾");
  EXPECT_EQ(cut("ᰎᰶᰜ᰻ ᰀᰦ᰼ ᤁᤰ᥄ ᤋᤠ᥅", "any"), "ᰎᰶᰜ᰻|ᰀᰦ᰼|ᤁᤰ᥄|ᤋᤠ᥅");  // Lepcha, Limbu
  EXPECT_EQ(cut("წვიმს. ის წავიდა. კი!", "ka"), "წვიმს.|ის წავიდა.|კი!");
  EXPECT_EQ(cut("יורד גשם. הוא הלך לנאט\u201Cו. כן?", "he"), "יורד גשם.|הוא הלך לנאט\u201Cו.|כן?");
  EXPECT_EQ(cut("ฝนตก เขาไป", "th"), "ฝนตก เขาไป");
  EXPECT_EQ(cut("비가 온다. 그는 갔다! 네?", "ko"), "비가 온다.|그는 갔다!|네?");
}

TEST(Sentences, OfChineseAndJapaneseNeedNoBlank) {
  EXPECT_EQ(cut("价格是3．5元。他走了｡好吗?是的．对。", "zh"),
            "价格是3．5元。|他走了｡|好吗?|是的．|对。");
  EXPECT_EQ(cut("他说：“好。”她走了。“是吗？”“是。”", "zh"),
            "他说：“好。”|她走了。|“是吗？”|“是。”");
  EXPECT_EQ(cut("彼は「行く！」と言った。雨だ。", "ja"), "彼は「行く！」と言った。|雨だ。");
  EXPECT_EQ(cut("彼は「行く！早く！」と言った。「はい。」でも雨だ。", "ja"),
            "彼は「行く！早く！」と言った。|「はい。」|でも雨だ。");
  EXPECT_EQ(cut("すごい！と思った。（終わり。）次だ。", "ja"),
            "すごい！と思った。|（終わり。）|次だ。");
  EXPECT_EQ(cut("１．はじめに。Ｊ．スミス。Yahoo!ニュースだ。", "ja"),
            "１．はじめに。|Ｊ．スミス。|Yahoo!ニュースだ。");
}

TEST(Sentences, DoNotEndInSpacedEllipsesAndBeforeSmallLetters) {
  EXPECT_EQ(cut("He . . . left. He stayed . . . Then he left.", "en"),
            "He . . . left.|He stayed . . .|Then he left.");
  EXPECT_EQ(cut("Well ... so what. No... I see.", "en"), "Well ... so what.|No...|I see.");
  EXPECT_EQ(cut("— Иди! — сказал он. — Нет.", "ru"), "— Иди! — сказал он.|— Нет.");
  EXPECT_EQ(cut("Buy it. iPhone users did.", "en"), "Buy it.|iPhone users did.");
}

TEST(Sentences, EndAfterNamesOfFilesAndAddresses) {
  EXPECT_EQ(cut("Open config.yaml. Press Start.", "en"), "Open config.yaml.|Press Start.");
  EXPECT_EQ(cut("See example.org. Peter knows. Read docs/a.b. Done.", "en"),
            "See example.org.|Peter knows.|Read docs/a.b.|Done.");
}

TEST(Sentences, MayHaveNotesEmojiAndMusicAtTheirEnds) {
  EXPECT_EQ(cut("It rains.[12] He left.² Good! 😀 Bye.", "en"),
            "It rains.[12]|He left.²|Good! 😀|Bye.");
  EXPECT_EQ(cut("♪ I sing. ♪ ♪ You sing. ♪", "en"), "♪ I sing. ♪|♪ You sing. ♪");
  EXPECT_EQ(cut("🔥 It is fast. 🔒 It is safe.", "en"), "🔥 It is fast.|🔒 It is safe.");
}

TEST(Sentences, KnowAbbreviationsOfManyLanguages) {
  EXPECT_EQ(cut("Il dott. Rossi e la sig.ra Bianchi, ecc. Poi piove.", "it"),
            "Il dott. Rossi e la sig.ra Bianchi, ecc.|Poi piove.");
  EXPECT_EQ(cut("O Dr. Silva e a Sra. Costa foram à pág. 5. Chove.", "pt"),
            "O Dr. Silva e a Sra. Costa foram à pág. 5.|Chove.");
  EXPECT_EQ(cut("Dhr. De Vries en mevr. Jansen, enz. Het regent.", "nl"),
            "Dhr. De Vries en mevr. Jansen, enz.|Het regent.");
  EXPECT_EQ(cut("Он жил на ул. Мира в 2018 г. Потом уехал и т. д. Он рад.", "ru"),
            "Он жил на ул. Мира в 2018 г.|Потом уехал и т. д.|Он рад.");
  EXPECT_EQ(cut("Prof. Nowak i ks. Kowal, np. Jan. Pada.", "pl"),
            "Prof. Nowak i ks. Kowal, np. Jan.|Pada.");
  EXPECT_EQ(cut("Ing. Novák a sv. Václav prohráli 1:0. Prší.", "cs"),
            "Ing. Novák a sv. Václav prohráli 1:0.|Prší.");
  EXPECT_EQ(cut("Došli su iz SAD-a. Kiša pada.", "hr"), "Došli su iz SAD-a.|Kiša pada.");
  EXPECT_EQ(cut("Ο κ. Παππάς και η κα. Νίκου, π.χ. Άννα. Βρέχει.", "el"),
            "Ο κ. Παππάς και η κα. Νίκου, π.χ. Άννα.|Βρέχει.");
}

TEST(Sentences, NumbersMayBeOrdinals) {
  EXPECT_EQ(cut("Am 3. Mai 1990. Der 2. Tag. Es sind 12. Die Frau. Ludwig XIV. Frankreich.", "de"),
            "Am 3. Mai 1990.|Der 2. Tag.|Es sind 12.|Die Frau.|Ludwig XIV. Frankreich.");
  EXPECT_EQ(cut("It has 12. Then 13. Fine.", "en"), "It has 12.|Then 13.|Fine.");
  EXPECT_EQ(cut("1. Introduction. More.", "en"), "1. Introduction.|More.");
  EXPECT_EQ(cut("١. مقدمة. المزيد.", "ar"), "١. مقدمة.|المزيد.");  // digits of another script
}

TEST(Sentences, ALanguageIsToldByItsCode) {
  EXPECT_EQ(cut("Evtl. Meier.", "deu_Latn"), "Evtl. Meier.");
  EXPECT_EQ(cut("Prof. Meier.", "EN"), "Prof. Meier.");
  for (const std::string other : {"", "any", "source", "xx", "_de"})
    EXPECT_EQ(cut("Evtl. Meier.", other), "Evtl.|Meier.");
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
