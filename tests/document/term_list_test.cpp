#include "document/term_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/strings.h"

namespace heed::document {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const TermLanguages kUnknown = {}, kGermanEnglish = {.source = "de", .target = "en"};

TermList read(const std::string& text, const TermLanguages& languages = kUnknown,
              const std::string& name = "terms.tsv") {
  return read_terms(text, name, languages);
}

/// The terms as "1: Hund = dog / hound".
std::vector<std::string> shown(const TermList& list) {
  std::vector<std::string> out;
  for (const Term& term : list.terms)
    out.push_back(std::to_string(term.line) + ": " + join(term.sources, " / ") + " = " +
                  join(term.targets, " / "));
  return out;
}

std::vector<std::string> terms_of(const std::string& text,
                                  const TermLanguages& languages = kUnknown) {
  const TermList list = read(text, languages);
  EXPECT_THAT(list.warnings, IsEmpty());
  return shown(list);
}

std::string mistake(const std::string& text, const TermLanguages& languages = kUnknown) {
  try {
    read(text, languages);
    return "";
  } catch (const UserError& error) {
    return error.what();
  }
}

TEST(TermTables, OfTabsHaveTranslationsInEachColumn) {
  EXPECT_THAT(
      terms_of("# a comment, with; marks\n\nHund\tdog\thound\n Der  große\u00A0Hund \tbig\n"),
      ElementsAre("3: Hund = dog / hound", "4: Der große Hund = big"));
  EXPECT_THAT(terms_of("Hund, m\tdog\nKatze, f\tcat\tkitty\n"),
              ElementsAre("1: Hund, m = dog", "2: Katze, f = cat / kitty"));
  EXPECT_THAT(terms_of("Hund\tdog\t\t\nDo\u00ADnau\tDanube\t\n"),
              ElementsAre("1: Hund = dog", "2: Donau = Danube"));
  EXPECT_THAT(terms_of("\uFEFFHund\tdog\r\nKatze\tcat\rMaus\tmouse"),
              ElementsAre("1: Hund = dog", "2: Katze = cat", "3: Maus = mouse"));
  EXPECT_THAT(terms_of(""), IsEmpty());
  EXPECT_THAT(terms_of("# nothing\n\n\t\n"), IsEmpty());
}

TEST(TermTables, MistakesNameLineAndColumn) {
  EXPECT_EQ(mistake("Hund\tdog\n\nKatze\n"), "line 3: 'Katze' is not a term, a tab and its target");
  EXPECT_EQ(mistake("Hund dog\n"), "line 1: 'Hund dog' is not a term, a tab and its target");
  EXPECT_EQ(mistake("Hund\tdog\nKatze\t \n"),
            "line 2: 'Katze' is not a term, a tab and its target");
  EXPECT_THAT(mistake("\tdog\n"), HasSubstr("line 1: column 1 is empty"));
  EXPECT_THAT(mistake("Hund\tdog\n\nKatze\t\tcat\n"), HasSubstr("line 3: column 2 is empty"));
  EXPECT_THAT(mistake("Hund;dog\nKatze;;cat\n"),
              HasSubstr("line 2: 3 columns, and the first row has 2; a cell that has ';'"));
  EXPECT_THAT(mistake("Hund;dog;\nKatze;;cat\n"), HasSubstr("line 2: column 2 is empty"));
  EXPECT_THAT(mistake("source\ttarget\nHund\tdog\thound\n"),
              HasSubstr("line 2: 3 columns, and the first row has 2"));
  EXPECT_THAT(mistake("\"Hund,dog\n"), HasSubstr("line 1: "));
}

TEST(TermTables, OfOmegaTHaveCommentsInTheirThirdColumn) {
  const std::string first = "# Glossary in tab-separated format -*- coding: utf-8 -*-\n";
  EXPECT_THAT(terms_of(first + "dog\tkano\tanimal that barks\nqueen\tregina\t\n"),
              ElementsAre("2: dog = kano", "3: queen = regina"));
  // In a glossary of OmegaT a comment may stand without a translation.
  const TermList list = read(first + "dog\t\tanimal\ncat\tkato\nqueen\n");
  EXPECT_THAT(shown(list), ElementsAre("3: cat = kato"));
  EXPECT_THAT(list.warnings,
              ElementsAre("line 2: no term, or no translation; 2 rows are left out"));
  EXPECT_THAT(shown(read("dog\tkano\tanimal\n", kUnknown, "a/words.utf8")),
              ElementsAre("1: dog = kano"));
  // OmegaT 3.6 writes a line feed in a comment as it is, and quotes are characters to it.
  EXPECT_THAT(shown(read("Katze\tcat\ttwo\nlines\nRot \"x\"\t\"red\"\n", kUnknown, "words.tab")),
              ElementsAre("1: Katze = cat", "3: Rot \"x\" = \"red\""));
}

// OmegaT wants this ending, and older versions write no first line; spreadsheets know it, too.
TEST(TermTables, NamedTxtMayBeOfOmegaT) {
  const TermList list =
      read("deck\tkarta\tpostranní lišta\n\"\t„\tuvozovky\nclick\tklepnout\n", kUnknown, "a.txt");
  EXPECT_THAT(shown(list), ElementsAre("1: deck = karta", "2: \" = „", "3: click = klepnout"));
  EXPECT_THAT(list.warnings, ElementsAre(HasSubstr("line 2, column 1: a quote begins the cell"),
                                         HasSubstr("line 1: column 3 is read as a comment")));
  EXPECT_THAT(shown(read("Mann\tman\tguy\tfellow\n", kUnknown, "a.txt")),
              ElementsAre("1: Mann = man / guy / fellow"));
  EXPECT_THAT(shown(read("\"a\tb\"\tx\n", kUnknown, "a.txt")), ElementsAre("1: a b = x"));
  EXPECT_THAT(
      read("tracking\tNachverfolgung\t\"Verfolgung\" is wrong\n", kUnknown, "a.txt").warnings,
      ElementsAre(HasSubstr("line 1: column 3 is read as a comment")));
}

// The glossary of OmegaT's own tests.
TEST(TermTables, OfOmegaTMayHaveCommas) {
  EXPECT_THAT(terms_of("kde,csv kde\nkde; question,comma\n\"kde, qu\",comma dot\n"
                       "\"\"\"kde\"\",\"\"q\"\"\",cdk\n\"\"\"\"\"k\",k\n"),
              ElementsAre("1: kde = csv kde", "2: kde; question = comma", "3: kde, qu = comma dot",
                          "4: \"kde\",\"q\" = cdk", "5: \"\"k = k"));
}

TEST(TermTables, OfDeepLHaveTheLanguagesOfEachRow) {
  EXPECT_THAT(terms_of("dog\tkano\tEN\tXX\n"), ElementsAre("1: dog = kano"));
  EXPECT_THAT(terms_of("Hund,dog,de,en-US\n\"Königin, alte\",old queen,de,en-US\n", kGermanEnglish),
              ElementsAre("1: Hund = dog", "2: Königin, alte = old queen"));
  const TermList list = read("dog,Hund,en,de\nHund,dog,de,en\nHund,chien,de,fr\n", kGermanEnglish);
  EXPECT_THAT(shown(list), ElementsAre("2: Hund = dog"));
  EXPECT_THAT(list.warnings,
              ElementsAre("line 1: its languages are not de and en; 2 rows are left out"));
  // Where the model does not name its languages, they are those of the first row.
  EXPECT_THAT(shown(read("dog,Hund,en,de\nHund,dog,de,en\n")), ElementsAre("1: dog = Hund"));
  EXPECT_THAT(mistake("dog,Hund,en,de\n", {.source = "fr", .target = "de"}),
              HasSubstr("line 1: no row is of the languages of the model, fr and de"));
  // These are translations.
  EXPECT_THAT(terms_of("Mann\tman\tguy\tmen\n"), ElementsAre("1: Mann = man / guy / men"));
}

TEST(TermTables, WithAHeaderHaveNamedColumns) {
  EXPECT_THAT(terms_of("source\ttarget\ndog\tkano\n"), ElementsAre("2: dog = kano"));
  EXPECT_THAT(terms_of("Comment;Target term;Source Term\nx;dog;Hund\n"),
              ElementsAre("2: Hund = dog"));
  EXPECT_THAT(
      terms_of("EN,De,description\r\ndog,Hund,\"an\nanimal\"\r\ncat,Katze,\r\n", kGermanEnglish),
      ElementsAre("2: Hund = dog", "4: Katze = cat"));
  EXPECT_THAT(
      terms_of("English (United States);German (Germany);French\ndog;Hund;chien\n", kGermanEnglish),
      ElementsAre("2: Hund = dog"));
  EXPECT_THAT(terms_of("Term [en],Term [de]\ndog,Hund\n", kGermanEnglish),
              ElementsAre("2: Hund = dog"));
  EXPECT_THAT(terms_of("term,pos,translation_en\nHund,noun,dog\n", kGermanEnglish),
              ElementsAre("2: Hund = dog"));
  EXPECT_THAT(terms_of("de;German;en\nHund;Rüde;dog\n", kGermanEnglish),
              ElementsAre("2: Hund / Rüde = dog"));
  EXPECT_THAT(
      terms_of("source_lang\tsource\ttarget_lang\ttarget\nde\tHund\ten\tdog\n", kGermanEnglish),
      ElementsAre("2: Hund = dog"));
  // A column of each language, and the name of the entry.
  EXPECT_THAT(terms_of("term;en;de\nDOG;dog;Hund\n", kGermanEnglish), ElementsAre("2: Hund = dog"));
  const TermList list = read(
      "Entry_ID\tGerman\tGerman_Def\tEnglish\n1\tHund\tTier\tdog\n2\tKatze\t\t\n", kGermanEnglish);
  EXPECT_THAT(shown(list), ElementsAre("2: Hund = dog"));
  EXPECT_THAT(list.warnings,
              ElementsAre("line 1: not read: column 1 (Entry_ID), 3 (German_Def)",
                          "line 3: no term, or no translation; one row is left out"));
  // Short words are no codes.
  EXPECT_THAT(terms_of("in\tan\n", kGermanEnglish), ElementsAre("1: in = an"));
  EXPECT_THAT(mistake("en;fr\ndog;chien\n", kGermanEnglish),
              HasSubstr("its terms are in en, fr, and the model translates from de to en"));
  EXPECT_THAT(mistake("en;fr;cs\ndog;chien;pes\n"), HasSubstr("its terms are in en, fr, cs"));
  EXPECT_THAT(read("en;fr\ndog;chien\n").warnings,
              ElementsAre(HasSubstr("en is read as the language of the source, and fr as that")));
}

TEST(TermTables, WithAHeaderMayNameLanguagesInOthers) {
  EXPECT_THAT(terms_of("Deutsch;Englisch\nHund;dog\n", kGermanEnglish),
              ElementsAre("2: Hund = dog"));
  EXPECT_THAT(terms_of("Anglais;Allemand\ndog;Hund\n", kGermanEnglish),
              ElementsAre("2: Hund = dog"));
  EXPECT_THAT(terms_of("inglés,Deutsch\ndog,Hund\n", kGermanEnglish), ElementsAre("2: Hund = dog"));
  EXPECT_THAT(terms_of("eng\tdeu\ndog\tHund\n", kGermanEnglish), ElementsAre("2: Hund = dog"));
  EXPECT_THAT(terms_of("English_United_States;German_Germany\ndog;Hund\n", kGermanEnglish),
              ElementsAre("2: Hund = dog"));
  // The same language twice is a term.
  EXPECT_THAT(terms_of("Deutsch\tGerman\n", kGermanEnglish), ElementsAre("1: Deutsch = German"));
  // What is said of terms of a language is no term.
  EXPECT_THAT(shown(read("de;de_notes;en;en_description\nHund;alt;dog;animal\n", kGermanEnglish)),
              ElementsAre("2: Hund = dog"));
}

TEST(TermTables, HaveNoTermsInRunningNumbers) {
  const TermList list = read("Nr;Deutsch;Englisch\n1;Hund;dog\n", kGermanEnglish);
  EXPECT_THAT(shown(list), ElementsAre("2: Hund = dog"));
  EXPECT_THAT(list.warnings, ElementsAre("line 1: not read: column 1 (Nr)"));
  EXPECT_THAT(shown(read("id,en,de\n1,dog,Hund\n", kGermanEnglish)), ElementsAre("2: Hund = dog"));
  EXPECT_THAT(shown(read("id,en,de\n7,dog,Hund\n")), ElementsAre("2: dog = Hund"));
  EXPECT_EQ(mistake("1;Hund;dog\n2;Katze;cat\n"),
            "line 1: column 1 has running numbers, not terms; `cut -d';' -f2- OLD > NEW` leaves it "
            "out");
  EXPECT_EQ(mistake("0,Hund,dog\n1,Katze,cat\n"),
            "line 1: column 1 has running numbers, not terms; `cut -d',' -f2- OLD > NEW` leaves it "
            "out");
  EXPECT_EQ(mistake("1.\tHund\tdog\n2.\tKatze\tcat\n"),
            "line 1: column 1 has running numbers, not terms; `cut -f2- OLD > NEW` leaves it out");
  EXPECT_THAT(terms_of("1\teins\n2\tzwei\n"), ElementsAre("1: 1 = eins", "2: 2 = zwei"));
}

TEST(TermTables, WithALanguageInEachRowAreRefused) {
  EXPECT_EQ(mistake("E_ID|E_DOMAINS|L_CODE|T_TERM|T_TYPE\n1|LAW|en|man|Term\n1|LAW|de|Kerl|Term\n"
                    "2|LAW|en|dog|Term\n"),
            "line 1: column 3 (L_CODE) has the language of each row, whose translation is in "
            "another row; export the terms as TBX, or write a term and its target in each row");
  EXPECT_THAT(terms_of("Hund\tdog\tde\nKatze\tcat\tde\nMaus\tmouse\tde\n"), testing::SizeIs(3));
}

TEST(TermTables, WithAHeaderThatDoesNotNameBothSidesAreRefused) {
  EXPECT_EQ(mistake("name,description,translatable,case_sensitive,de\ndog,x,true,false,Hund\n"),
            "line 1: its first row names the columns name, description, translatable, "
            "case_sensitive, de, and not which ones have the terms and their translations; name "
            "these source and target, or by their languages, as en and de");
  EXPECT_THAT(mistake("term\tcomment\nHund\tx\n"), HasSubstr("names the columns term, comment"));
  EXPECT_THAT(terms_of("term\tBegriff\n"), ElementsAre("1: term = Begriff"));
  EXPECT_THAT(terms_of("name\tName\n"), ElementsAre("1: name = Name"));
}

TEST(TermTables, MayHaveTheirHeaderInAComment) {
  TermList list = read("#,en,de\n1,dog,Hund\n", kGermanEnglish);
  EXPECT_THAT(shown(list), ElementsAre("2: Hund = dog"));
  EXPECT_THAT(list.warnings, ElementsAre("line 1: not read: column 1 (#)"));
  EXPECT_THAT(terms_of("# words of the house\n#en\tde\ndog\tHund\n", kGermanEnglish),
              ElementsAre("3: Hund = dog"));
  // More translations than columns have names.
  EXPECT_THAT(terms_of("# source\ttarget\nHund\tdog\nMann\tman\tguy\n"),
              ElementsAre("2: Hund = dog", "3: Mann = man / guy"));
}

TEST(TermTables, OfUtxHaveTheirHeaderInAComment) {
  const std::string first = "#UTX 1.20; en-US/de-DE; 2013-12-20T10:00:00Z; license: CC\r\n",
                    rest = "#src\ttgt\tsrc:pos\r\ndog\tHund\tnoun\r\nrun\t\tverb\r\n";
  const TermList list = read(first + rest, {.source = "en", .target = "de"}, "a.utx");
  EXPECT_THAT(shown(list), ElementsAre("3: dog = Hund"));
  EXPECT_THAT(list.warnings,
              ElementsAre("line 4: no term, or no translation; one row is left out"));
  EXPECT_THAT(shown(read(first + rest, kGermanEnglish)), ElementsAre("3: Hund = dog"));
  EXPECT_THAT(mistake(first + rest, {.source = "de", .target = "fr"}),
              HasSubstr("its terms are in en-US, de-DE, and the model translates from de to fr"));
  EXPECT_THAT(shown(read("#UTX 1.11\n" + rest)), ElementsAre("3: dog = Hund"));
  EXPECT_THAT(mistake(first + "dog\tHund\tnoun\n"), HasSubstr("line 1: a glossary of UTX, whose"));
}

TEST(TermTables, WarnOfTranslationsThatMayBeNone) {
  EXPECT_THAT(read("dog\tHund\n\nman\tMann\tnoun\nrun\tlaufen\tVerb\n").warnings,
              ElementsAre(HasSubstr("line 3, column 3: 'noun' looks like a part of speech")));
  EXPECT_THAT(terms_of("name\tnoun\tsubstantive\n"), ElementsAre("1: name = noun / substantive"));
  EXPECT_THAT(read("Hund\tdog\nMann\tman; guy\na\tb;c\n").warnings,
              ElementsAre("line 2, column 2: 'man; guy' is one translation with ';' in it; write "
                          "translations of a term in cells or rows of their own"));
  EXPECT_THAT(read("en,de\nman,Mann|Kerl\n").warnings, Contains(HasSubstr("line 2, column 2")));
  EXPECT_THAT(terms_of("a\tb & c\nx;y\tand/or\n"), ElementsAre("1: a = b & c", "2: x;y = and/or"));
}

TEST(TermTables, OfAnkiHaveTheirColumnsInComments) {
  // As Anki 26.09 wrote them.
  const TermList all = read(
      "#separator:tab\n#html:true\n#guid column:1\n#notetype column:2\n#deck column:3\n"
      "#tags column:6\nqmQ6=**RKV\tBasic\tDeutsch\tman\tKerl\tx\n"
      "H_0a&V]r?T\tBasic\tDeutsch\tR and D\t\"a \"\"b\"\"\"\ty z\n"
      "Lx=.2?=!E<\tBasic\tDeutsch\tbicycle\tDrahtesel\t\n"
      "Lx=.2?=!E=\tBasic\tDeutsch\tdog\t\tz\n");
  EXPECT_THAT(shown(all),
              ElementsAre("7: man = Kerl", "8: R and D = a \"b\"", "9: bicycle = Drahtesel"));
  EXPECT_THAT(all.warnings,
              ElementsAre("line 6: not read: column 1 (guid), 2 (notetype), 3 (deck), 6 (tags)",
                          HasSubstr("line 10: no term, or no translation; one row is left out")));
  EXPECT_THAT(shown(read("#separator:tab\n#html:false\n#tags column:4\nman\tKerl\tEin Kerl.\tx\n")),
              ElementsAre("4: man = Kerl"));
  EXPECT_THAT(terms_of("#separator:tab\n#html:false\nman\tKerl\tMann\n"),
              ElementsAre("3: man = Kerl / Mann"));
}

TEST(TermTables, LeaveOutWhatIsForbidden) {
  // As tables of memoQ and others, whose columns have names such as these.
  const TermList list = read("English;German;Status\ncar;Wagen;OK\ncar;Karre;forbidden\n");
  EXPECT_THAT(shown(list), ElementsAre("2: car = Wagen"));
  EXPECT_THAT(list.warnings, Contains("line 3: its status says that it is not to be used; one row "
                                      "is left out"));
  for (const std::string header : {"forbidden", "Deprecated", "Forbidden term"}) {
    const TermList marked =
        read("source,target," + header + "\ncar,Wagen,no\ncar,Karre,yes\ncar,Auto,\n");
    EXPECT_THAT(shown(marked), ElementsAre("2: car = Wagen", "4: car = Auto")) << header;
  }
  // A status that is none: "x" says nothing, and a comment may speak of what is forbidden.
  EXPECT_THAT(shown(read("source,target,status\ncar,Wagen,x\ncat,Katze,not forbidden\n")),
              ElementsAre("2: car = Wagen", "3: cat = Katze"));
  EXPECT_THAT(shown(read("source,target,comment\ncar,Wagen,do not use Karre\n")),
              ElementsAre("2: car = Wagen"));
}

TEST(TermTables, WarnOfCommentsAndQuotationMarksInCells) {
  const auto warned = [](const std::string& text) { return join(read(text).warnings, "\n"); };
  EXPECT_EQ(
      warned("house\tHaus\ncar\tWagen # gut\n"),
      "line 2, column 2: '# gut' looks like a comment, and is read as part of the text; write "
      "comments on lines of their own, which begin with #");
  EXPECT_THAT(warned("\u201Chouse\u201D\t\u201EGeb\u00E4ude\u201C\n"),
              HasSubstr("line 1, column 1: the quotation marks around '\u201Chouse\u201D' are read "
                        "as part of the text, and a term is found only with them; without them: "
                        "sed 's/[\u201C"));
  EXPECT_THAT(warned("car\t\u00BBWagen\u00AB\n"), HasSubstr("column 2: the quotation marks"));
  for (const char* const sound :
       {"C # D\tC # D\n", "# 1\tNr. 1\n", "a\t\u201Cb\u201D und \u201Cc\u201D\n",
        "the \u201Cx\u201D\ty\n", "dogs\u2019\tHunde\n"})
    EXPECT_EQ(warned(sound), "") << sound;
}

TEST(TermTables, WarnOfMarksThatAreNoPartOfTerms) {
  const auto warned = [](const std::string& text) { return join(read(text).warnings, "\n"); };
  EXPECT_EQ(
      warned("dog\tHund\nman\tKerl {m}\nbike\tRad {n} [ugs.]\n"),
      "line 2, column 2: '{m}' looks like a mark of gender or number, and is read as part of "
      "the text; without such marks: sed -E 's/ "
      "+[[({](m|f|n|mf|nt|pl|sg|masc|fem|neut|der|die|das|le|la|les|el|los|las|il|lo)[.]?[])}]"
      "//g' OLD > NEW");
  EXPECT_THAT(warned("Kerl (m.)\tman\n"), HasSubstr("line 1, column 1: '(m.)' looks like"));
  EXPECT_THAT(warned("bicycle\tDrahtesel [der]\n"), HasSubstr("column 2: '[der]' looks like"));
  EXPECT_THAT(warned("man\tKerl, der\n"),
              HasSubstr("column 2: 'Kerl, der' ends with an article, 'der'"));
  EXPECT_THAT(warned("man\t<b>Kerl</b>\n"), HasSubstr("column 2: '<b>' looks like markup of HTML"));
  EXPECT_THAT(warned("bicycle\tDrahtesel&nbsp;\n"),
              HasSubstr("'&nbsp;' looks like markup of HTML"));
  EXPECT_THAT(warned("en\tde\nman\t=CONCAT(\"K\",\"erl\")\n"),
              HasSubstr("line 2, column 2: '=CONCAT(\"K\",\"erl\")' looks like a formula"));
  EXPECT_THAT(warned("man\t=$B$2\n"), HasSubstr("'=$B$2' looks like a formula"));
  for (const char* const none : {"-", "???", "\u2013", "TODO", "n/a"})
    EXPECT_THAT(warned("man\t" + std::string(none) + "\n"),
                HasSubstr("line 1, column 2: '" + std::string(none) +
                          "' is read as the translation of 'man'"));
  for (const char* const sound :
       {"Page {n}\tSeite {n}\n", "f(m)\tf(m)\n", "<b>a</b>\t<b>x</b>\n", "euro\t\u20AC\n",
        "-\t\u2013\n", "a < b\tc > d\n", "Q&A\tFragen & Antworten;x\n", "=\tgleich\n",
        "=SUM(A1)\t=SUMME(A1)\n", "mass\tMasse (kg)\n", "todo\talles\n"})
    EXPECT_EQ(warned(sound), "") << sound;
}

TEST(TermTables, WithErrorsOfSpreadsheetsAreRefused) {
  const std::string cure =
      "is an error of a spreadsheet and no translation; mend its formula, or leave out the row";
  EXPECT_EQ(mistake("source\ttarget\nman\t#N/A\n"), "line 2, column 2: '#N/A' " + cure);
  EXPECT_EQ(mistake("dog\tHund\nman\tMann\t#BEZUG!\n"), "line 2, column 3: '#BEZUG!' " + cure);
  EXPECT_EQ(mistake("en,de\nman,Err:502\n"), "line 2, column 2: 'Err:502' " + cure);
  EXPECT_THAT(terms_of("source\ttarget\nname error\t#name\nx\t#1!\n"),
              ElementsAre("2: name error = #name", "3: x = #1!"));
  EXPECT_THAT(terms_of("\"#N/A\"\t#NV\n"), ElementsAre("1: #N/A = #NV"));
}

TEST(TermTables, InThreeLanguagesSayWhichAndHowTwoAreLeft) {
  EXPECT_EQ(mistake("en,de,fr\ndog,Hund,chien\n"),
            "its terms are in en, de, fr, and no model says which two of these languages are the "
            "source's and the translations'; leave only these two in it, the source's first; `cut "
            "-d',' -f1,2 OLD > NEW` leaves en and de");
}

TEST(TermTables, OfSpreadsheetsHaveQuotesAndOtherSeparators) {
  EXPECT_THAT(terms_of("\"dog\"\t\"kano\"\n\"queen, old\"\t\"regina\"\n"),
              ElementsAre("1: dog = kano", "2: queen, old = regina"));
  EXPECT_THAT(terms_of("\"a\tb\"\t\"say \"\"yes\"\"\"\n\"two\r\nlines\"\tx\nlast\ty\n"),
              ElementsAre("1: a b = say \"yes\"", "2: two lines = x", "4: last = y"));
  EXPECT_THAT(terms_of("dog;kano\n"), ElementsAre("1: dog = kano"));
  EXPECT_THAT(terms_of("dog,kano\n"), ElementsAre("1: dog = kano"));
  EXPECT_THAT(terms_of("sep=;\r\n\"dog; old\";kano\r\n"), ElementsAre("2: dog; old = kano"));
  const TermList list = read("dog,kano,noun\n\"cat\",kato,\n");
  EXPECT_THAT(shown(list), ElementsAre("1: dog = kano", "2: cat = kato"));
  EXPECT_THAT(list.warnings, ElementsAre(HasSubstr("line 1: column 3 is read as a comment")));
}

TEST(TermTables, MayHaveQuotesThatAreCharacters) {
  EXPECT_THAT(terms_of("19\" Monitor\t19\" screen\n"),
              ElementsAre("1: 19\" Monitor = 19\" screen"));
  const TermList list = read("a\tb\n\"Rot\" und mehr\tred\n\"x\"\ty\n");
  EXPECT_THAT(shown(list), ElementsAre("1: a = b", "2: \"Rot\" und mehr = red", "3: \"x\" = y"));
  EXPECT_THAT(list.warnings, ElementsAre(HasSubstr("line 2, column 1: a quote begins the cell")));
}

TEST(TermTables, InOtherEncodingsAreToldInPart) {
  EXPECT_THAT(read("Gl\xFC\x63k\tluck\n").warnings,
              ElementsAre(HasSubstr("not all of it is UTF-8")));
}

TEST(Tbx, HasTermsOfEachLanguage) {
  const std::string begin =
                        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<martif type=\"TBX\" "
                        "xml:lang=\"en\"><text><body>\n",
                    end = "</body></text></martif>\n";
  const std::string entries =
      "<termEntry id=\"1\">\n<langSet xml:lang=\"en-US\"><tig><term>queen &amp; <hi>king</hi>"
      "</term></tig></langSet>\n<langSet xml:lang=\"DE\"><ntig><termGrp><term>Königin</term>"
      "</termGrp></ntig><tig><term><![CDATA[K\u00ADn.]]></term></tig></langSet></termEntry>\n"
      "<termEntry><langSet xml:lang=\"de\"><tig><term>Katze</term></tig></langSet></termEntry>\n"
      "<termEntry><langSet xml:lang=\"de\"><tig><term>Hund</term></tig></langSet><langSet "
      "xml:lang=\"en\"><tig><term>cur</term><termNote type=\"administrativeStatus\">"
      "deprecatedTerm-admn-sts</termNote></tig><tig><term>dog</term></tig></langSet>"
      "</termEntry>\n";
  const TermList list = read(begin + entries + end, kGermanEnglish);
  EXPECT_THAT(shown(list), ElementsAre("3: Königin / Kn. = queen & king", "7: Hund = dog"));
  EXPECT_THAT(list.warnings,
              ElementsAre("line 6: no term in both languages; one concept is left out",
                          "line 7: its status says that it is not to be used; one term is left "
                          "out"));
  EXPECT_THAT(mistake(begin + entries + end, {.source = "de", .target = "fr"}),
              HasSubstr("its terms are in en-US, DE, de, en, and the model translates from de to "
                        "fr"));
  EXPECT_THAT(shown(read(begin + end)), IsEmpty());
}

// Version 3 in the style of tags, whose elements have prefixes.
TEST(Tbx, OfVersion3IsRead) {
  const std::string text =
      "\uFEFF<tbx style=\"dct\" type=\"TBX-Basic\" xml:lang=\"en\" "
      "xmlns=\"urn:iso:std:iso:30042:ed-2\" xmlns:basic=\"http://www.tbxinfo.net/ns/basic\"><text>"
      "<body><conceptEntry id=\"c1\"><langSec xml:lang=\"de\"><termSec><term>Hund</term>"
      "<basic:administrativeStatus>preferredTerm-admn-sts</basic:administrativeStatus></termSec>"
      "</langSec><langSec xml:lang=\"en\"><termSec><term>dog</term></termSec><termSec><term>cur"
      "</term><basic:administrativeStatus>supersededTerm-admn-sts</basic:administrativeStatus>"
      "</termSec></langSec></conceptEntry></body></text></tbx>";
  const TermList list = read(text, kGermanEnglish);
  EXPECT_THAT(shown(list), ElementsAre("1: Hund = dog"));
  EXPECT_THAT(list.warnings, ElementsAre(HasSubstr("line 1: its status says")));
}

// translate-toolkit 3.20.4 writes "xx" for the language of the translations.
TEST(Tbx, MayNotNameALanguage) {
  const std::string text =
      "<martif type=\"TBX\" xml:lang=\"en\"><text><body><termEntry id=\"dog\">\n<langSet "
      "xml:lang=\"en\"><tig><term>dog</term></tig></langSet>\n<langSet xml:lang=\"xx\"><tig><term>"
      "Hund</term></tig></langSet></termEntry></body></text></martif>";
  EXPECT_THAT(terms_of(text, {.source = "en", .target = "de"}), ElementsAre("1: dog = Hund"));
  EXPECT_THAT(shown(read(text)), ElementsAre("1: dog = Hund"));
  EXPECT_THAT(mistake(text, {.source = "fr", .target = "de"}),
              HasSubstr("its terms are in en, xx"));
}

TEST(Tbx, IsNoOtherXml) {
  EXPECT_THAT(mistake("<?xml version=\"1.0\"?>\n<tmx version=\"1.4\"></tmx>"),
              HasSubstr("line 2: it begins with <tmx>; a glossary in XML is TBX"));
  EXPECT_THAT(mistake("<?xml version=\"1.0\"?>\n<martif>"),
              HasSubstr("line 2: it is not well-form"));
}

TEST(TermTables, AColumnOfOriginsHasNoTerms) {
  for (const char* origin : {"Source", "Quelle", "Original"})
    EXPECT_THAT(terms_of(std::string("Term;Translation;") + origin + "\ncar;Wagen;DIN\n"),
                ElementsAre("2: car = Wagen"))
        << origin;
  EXPECT_THAT(terms_of("word,translation\ncar,Wagen\n"), ElementsAre("2: car = Wagen"));
  EXPECT_THAT(terms_of("from\tto\ncar\tWagen\n"), ElementsAre("2: car = Wagen"));
}

}  // namespace
}  // namespace heed::document
