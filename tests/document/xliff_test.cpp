#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "document/filled.h"
#include "message.h"

namespace heed::document {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string xliff_1(const std::string& units) {
  return "<xliff version=\"1.2\"><file source-language=\"en\" target-language=\"de\"><body>\n" +
         units + "\n</body></file></xliff>\n";
}
std::string xliff_2(const std::string& segments) {
  return "<xliff version=\"2.0\" srcLang=\"en\" trgLang=\"de\"><file id=\"f\"><unit id=\"u\">" +
         segments + "</unit></file></xliff>";
}
constexpr const char* kFilled =
    "<target state=\"needs-review-translation\" state-qualifier=\"leveraged-mt\">";

TEST(XliffDocument, MissingTargetsFollowTheirSources) {
  const Document read = read_into("de",
                                  xliff_1("  <trans-unit id=\"1\">\r\n"
                                          "    <source>One &lt; two.</source>\r\n"
                                          "    <note>No text.</note>\r\n"
                                          "  </trans-unit>"),
                                  "xliff");
  EXPECT_THAT(model_texts(read), ElementsAre("One < two."));
  EXPECT_THAT(read.lines(), ElementsAre(3));
  EXPECT_EQ(filled(read, {"Eins < \"zwei\" & drei."}),
            xliff_1("  <trans-unit id=\"1\">\r\n"
                    "    <source>One &lt; two.</source>\r\n    " +
                    std::string(kFilled) +
                    "Eins &lt; \"zwei\" &amp; drei.</target>\r\n"
                    "    <note>No text.</note>\r\n"
                    "  </trans-unit>"));
}

TEST(XliffDocument, ReferencesOfHtmlInTheTextAreCharacters) {
  const Document read = read_into(
      "de",
      xliff_1(
          "<trans-unit id=\"1\"><source>It can&amp;rsquo;t be A&amp;amp;B.</source></trans-unit>"
          "<trans-unit id=\"2\"><source><![CDATA[One &copy; A&amp;B]]></source></trans-unit>"
          "<trans-unit id=\"3\"><source>R&amp;D</source></trans-unit>"),
      "xliff");
  EXPECT_THAT(model_texts(read), ElementsAre("It can’t be A&B.", "One A&B", "R&D"));
  EXPECT_THAT(
      filled(read, {"Geht’s & <.", "Eins A&B", "F&E"}),
      testing::AllOf(HasSubstr(">Geht&amp;rsquo;s &amp;amp; &amp;lt;.</target>"),
                     HasSubstr("<![CDATA[Eins &copy; A&amp;B]]>"), HasSubstr(">F&amp;E</target>")));
}

TEST(XliffDocument, FormsOfSymfonyAreTextsOfTheirOwn) {
  const Document read = read_into(
      "de",
      xliff_1("<trans-unit id=\"1\"><source>You need {{ limit }} choice.|You need {{ limit }} "
              "choices.</source></trans-unit><trans-unit id=\"2\"><source>{0}None|[2,4]Some "
              "&amp; more</source></trans-unit>"),
      "xliff");
  EXPECT_THAT(model_texts(read),
              ElementsAre("You need X1 choice.", "You need X1 choices.", "None", "Some & more"));
  EXPECT_THAT(filled(read, {"Eine X1.", "Mehr X1.", "Nichts", "Paar"}),
              testing::AllOf(HasSubstr(">Eine {{ limit }}.|Mehr {{ limit }}.</target>"),
                             HasSubstr(">{0}Nichts|[2,4]Paar</target>")));
}

TEST(XliffDocument, PlaceholdersOfAngularAreWordsOrTags) {
  const Document read = read_into(
      "de",
      xliff_1("<trans-unit id=\"1\" datatype=\"html\"><source>Hello <x id=\"INTERPOLATION\" "
              "equiv-text=\"{{ name }}\"/>, a <x id=\"START_BOLD_TEXT\" ctype=\"x-b\" "
              "equiv-text=\"&lt;b&gt;\"/>very bold<x id=\"CLOSE_BOLD_TEXT\" ctype=\"x-b\" "
              "equiv-text=\"&lt;/b&gt;\"/> word,<x id=\"LINE_BREAK\" ctype=\"lb\" "
              "equiv-text=\"&lt;br/&gt;\"/> <x id=\"PH\" equiv-text=\"this.count\"/> of "
              "it</source></trans-unit>"),
      "xliff");
  EXPECT_THAT(model_texts(read), ElementsAre("Hello X1, a very bold word,", "X1 of it"));
  EXPECT_THAT(
      filled(read, {"HALLO X1, EIN SEHR FETTES WORT,", "X1 DAVON"}),
      testing::AllOf(HasSubstr("HALLO <x id=\"INTERPOLATION\" equiv-text=\"{{ name }}\"/>, EIN "
                               "<x id=\"START_BOLD_TEXT\" ctype=\"x-b\" "
                               "equiv-text=\"&lt;b&gt;\"/>SEHR FETTES<x "
                               "id=\"CLOSE_BOLD_TEXT\""),
                     HasSubstr("<x id=\"PH\" equiv-text=\"this.count\"/> DAVON")));
  // Two links, whose ends have one name.
  const Document links = read_into(
      "de",
      xliff_2("<segment><source><ph id=\"0\" equiv=\"START_LINK\" disp=\"&lt;a&gt;\"/>One<ph "
              "id=\"1\" equiv=\"CLOSE_LINK\" disp=\"&lt;/a&gt;\"/> and <ph id=\"2\" "
              "equiv=\"START_LINK_1\" disp=\"&lt;a&gt;\"/>two<ph id=\"3\" equiv=\"CLOSE_LINK\" "
              "disp=\"&lt;/a&gt;\"/> <ph id=\"4\" equiv=\"ICU\" disp=\"{n, plural, ...}\"/>"
              "</source></segment>"),
      "xliff");
  EXPECT_THAT(model_texts(links), ElementsAre("One and two X1"));
}

TEST(XliffDocument, TextsOfMessagesOfIcuAreTranslated) {
  const std::string source =
      "{VAR_PLURAL, plural, =0 {just now} =1 {one <x id=\"START_BOLD_TEXT\" "
      "equiv-text=\"&lt;b&gt;\"/>minute<x id=\"CLOSE_BOLD_TEXT\" equiv-text=\"&lt;/b&gt;\"/> ago} "
      "other "
      "{<x id=\"INTERPOLATION\" equiv-text=\"{{minutes}}\"/> minutes ago by {VAR_SELECT, select, "
      "male {him} other {them} }} }";
  const Document read = read_into(
      "de", xliff_1("<trans-unit id=\"1\"><source>" + source + "</source></trans-unit>"), "xliff");
  EXPECT_THAT(model_texts(read),
              ElementsAre("just now", "one minute ago", "X1 minutes ago by", "him", "them"));
  EXPECT_THAT(
      filled(read, {"EBEN", "VOR EINER MINUTE", "VOR X1 MINUTEN VON", "IHM", "IHNEN"}),
      HasSubstr(std::string(kFilled) +
                "{VAR_PLURAL, plural, =0 {EBEN} =1 {VOR <x id=\"START_BOLD_TEXT\" "
                "equiv-text=\"&lt;b&gt;\"/>EINER<x id=\"CLOSE_BOLD_TEXT\" "
                "equiv-text=\"&lt;/b&gt;\"/> MINUTE} other {VOR <x id=\"INTERPOLATION\" "
                "equiv-text=\"{{minutes}}\"/> MINUTEN VON {VAR_SELECT, select, male {IHM} other "
                "{IHNEN} }} }</target>"));
  EXPECT_THAT(filled(read), HasSubstr(std::string(kFilled) + source + "</target>"));
}

TEST(XliffDocument, PlaceholdersAreThoseOfTheFile) {
  const auto text_of = [](const std::string& original, const std::string& tool,
                          const std::string& text) {
    return model_texts(read_into(
        "de",
        "<xliff version=\"1.2\"><file original=\"" + original +
            "\" source-language=\"en\" target-language=\"de\" datatype=\"plaintext\"><header>" +
            tool + "</header><body><trans-unit id=\"a\"><source>" + text +
            "</source></trans-unit></body></file></xliff>",
        "xliff"));
  };
  EXPECT_THAT(text_of("App/en.lproj/Localizable.strings", "",
                      "Sent %lld of %1$@ to %@.\\nThen %#@files@ in {this text}"),
              ElementsAre("Sent X1 of X2 to X3.", "Then X1 in {this text}"));
  EXPECT_THAT(
      text_of("a.txt", "<tool tool-id=\"com.apple.dt.xcode\" tool-name=\"Xcode\"/>", "a\\nb"),
      ElementsAre("a", "b"));
  EXPECT_THAT(text_of("app/src/main/res/values/strings.xml", "", "At %1$s by %2$d"),
              ElementsAre("At X1 by X2"));
  EXPECT_THAT(text_of("xliff-core-1.2-strict.xsd",
                      "<tool tool-id=\"tmgmt\" tool-name=\"Drupal Translation Management Tools\"/>",
                      "By @name of %site, see :url or !link, a@b.org, @ 5"),
              ElementsAre("By X1 of X2, see X3 or X4, @ 5"));
  EXPECT_THAT(text_of("a.txt", "", "By @name, {user} of %s, C:\\new"),
              ElementsAre("By @name, X1 of X2"));
  EXPECT_THAT(text_of("a.txt", "", "<![CDATA[By {user} of <b>it</b>]]>"),
              ElementsAre("By X1 of it"));
}

TEST(XliffDocument, EmptyTargetsAreFilledAndOthersStay) {
  const auto unit = [](const std::string& target, const std::string& attributes = "") {
    return xliff_1("<trans-unit id=\"1\"" + attributes + "><source>One</source>" + target +
                   "</trans-unit>");
  };
  const std::string one = unit(std::string(kFilled) + "One</target>");
  for (const char* target :
       {"", "<target/>", "<target></target>", "<target> \n</target>", "<target state=\"new\"/>",
        "<target state='needs-translation'>One</target>"})
    EXPECT_THAT(filled(read_into("de", unit(target), "xliff")),
                testing::AnyOf(one, unit("<target state='needs-review-translation' "
                                         "state-qualifier=\"leveraged-mt\">One</target>")))
        << target;
  for (const char* target :
       {"<target>Eins</target>", "<target state=\"new\">Eins</target>", "<target>One</target>",
        "<target><x id=\"1\"/></target>", "<target state=\"final\"/>"})
    EXPECT_EQ(filled(read_into("de", unit(target), "xliff")), unit(target));
  EXPECT_EQ(filled(read_into("de", unit("<target/>", " approved=\"yes\""), "xliff")),
            unit("<target/>", " approved=\"yes\""));
  EXPECT_EQ(filled(read_into("de", unit("", " translate=\"no\""), "xliff")),
            unit("", " translate=\"no\""));
}

TEST(XliffDocument, AUnitSaysItselfIfItIsTranslated) {
  const std::string group = xliff_1(
      "<group translate=\"no\"><trans-unit id=\"1\"><source>One</source></trans-unit>"
      "<trans-unit id=\"2\" translate=\"yes\"><source>Two</source></trans-unit></group>"
      "<trans-unit id=\"3\"><source>Three</source><alt-trans><source>No</source></alt-trans>"
      "</trans-unit>");
  EXPECT_THAT(model_texts(read_into("de", group, "xliff")), ElementsAre("Two", "Three"));
}

TEST(XliffDocument, NativeCodeIsNoTextAndItsEndStaysBehindItsBeginning) {
  const Document read =
      read_into("de",
                xliff_1("<trans-unit id=\"1\"><source>A <bpt id=\"1\">&lt;b&gt;</bpt>big<ept "
                        "id=\"1\">&lt;/b&gt;</ept> <g id=\"2\">house</g><x id=\"3\"/> has <ph "
                        "id=\"4\">%d</ph> doors.</source></trans-unit>"),
                "xliff");
  EXPECT_THAT(model_texts(read), ElementsAre("A big house has X1 doors."));
  EXPECT_THAT(
      filled(read, {"EIN GROSSES HAUS HAT X1 TUEREN."}),
      HasSubstr("EIN <bpt id=\"1\">&lt;b&gt;</bpt>GROSSES<ept id=\"1\">&lt;/b&gt;</ept> <g "
                "id=\"2\">HAUS</g><x id=\"3\"/> HAT <ph id=\"4\">%d</ph> TUEREN.</target>"));
}

TEST(XliffDocument, EscapedTagsAndProtectedWordsStayWhole) {
  const Document read = read_into(
      "de",
      xliff_1(
          "<trans-unit id=\"1\"><source>Press &lt;b class=\"a\"&gt;the button&lt;/b&gt; of <mrk "
          "mtype=\"protected\">heed</mrk>, if a &lt; b.</source></trans-unit>"),
      "xliff");
  EXPECT_THAT(model_texts(read), ElementsAre("Press the button of X1, if a < b."));
}

TEST(XliffDocument, SegmentsOfASourceAreFilledOneByOne) {
  const std::string source =
      "<trans-unit id=\"1\"><source>One. Two.</source><seg-source><g id=\"1\"><mrk mtype=\"seg\" "
      "mid=\"1\">One.</mrk> <mrk mtype=\"seg\" mid=\"2\">Two.</mrk></g></seg-source>";
  const Document none = read_into("de", xliff_1(source + "</trans-unit>"), "xliff");
  EXPECT_THAT(model_texts(none), ElementsAre("One.", "Two."));
  EXPECT_EQ(filled(none, {"Eins.", "Zwei."}),
            xliff_1(source + kFilled +
                    "<g id=\"1\"><mrk mtype=\"seg\" mid=\"1\">Eins.</mrk> <mrk mtype=\"seg\" "
                    "mid=\"2\">Zwei.</mrk></g></target></trans-unit>"));
  const Document half = read_into(
      "de",
      xliff_1(source + "<target><g id=\"1\"><mrk mtype=\"seg\" mid=\"1\">Ein&#115;.</mrk> <mrk "
                       "mtype=\"seg\" mid=\"2\"/></g></target></trans-unit>"),
      "xliff");
  EXPECT_THAT(model_texts(half), ElementsAre("Two."));
  EXPECT_EQ(filled(half, {"Zwei."}),
            xliff_1(source + kFilled +
                    "<g id=\"1\"><mrk mtype=\"seg\" mid=\"1\">Ein&#115;.</mrk> <mrk mtype=\"seg\" "
                    "mid=\"2\">Zwei.</mrk></g></target></trans-unit>"));
}

TEST(XliffDocument, SegmentsOfVersion2GetAState) {
  EXPECT_EQ(
      filled(read_into("de",
                       xliff_2("<segment state=\"initial\" subState=\"a:b\">\n <source>One"
                               "</source>\n</segment><ignorable><source> </source></ignorable>"
                               "<segment><source>Two</source><target/></segment>"
                               "<segment><source>Three</source><target>Drei</target></segment>"
                               "<segment state=\"final\"><source>Four</source></segment>"),
                       "xliff"),
             {"Eins", "Zwei"}),
      xliff_2("<segment state=\"translated\">\n <source>One</source>\n <target>Eins</target>"
              "\n</segment><ignorable><source> </source></ignorable>"
              "<segment state=\"translated\"><source>Two</source><target>Zwei</target>"
              "</segment><segment><source>Three</source><target>Drei</target></segment>"
              "<segment state=\"final\"><source>Four</source></segment>"));
}

TEST(XliffDocument, SpansOfVersion2MayOverlap) {
  const Document read = read_into(
      "de",
      xliff_2("<segment><source><sc id=\"1\"/>One <sc id=\"2\"/>two<ec startRef=\"1\"/> three<ec "
              "startRef=\"2\"/>, <pc id=\"3\">four</pc>.</source></segment>"),
      "xliff");
  EXPECT_THAT(model_texts(read), ElementsAre("One two three, four."));
  const std::string out = filled(read, {"EINS ZWEI DREI, VIER."});
  const std::string target = out.substr(out.find("<target>"));
  EXPECT_LT(target.find("<sc id=\"1\"/>"), target.find("<ec startRef=\"1\"/>"));
  EXPECT_LT(target.find("<sc id=\"2\"/>"), target.find("<ec startRef=\"2\"/>"));
  EXPECT_THAT(target, HasSubstr("<pc id=\"3\">VIER</pc>"));
}

TEST(XliffDocument, PairsThatCrossAnElementLeaveItWhole) {
  const Document read = read_into(
      "de",
      xliff_2("<segment><source>One <sc id=\"1\"/>two <pc id=\"3\">three<ec startRef=\"1\"/> "
              "&lt;pc&gt;four</pc> five.</source></segment>"),
      "xliff");
  EXPECT_THAT(model_texts(read), ElementsAre("One two three four five."));
  EXPECT_THAT(filled(read, {"EINS ZWEI DREI VIER FUENF."}),
              HasSubstr("<target>EINS <sc id=\"1\"/>ZWEI <pc id=\"3\">DREI<ec startRef=\"1\"/> "
                        "&lt;pc&gt;VIER</pc> FUENF.</target>"));
}

TEST(XliffDocument, TheLanguageOfTranslationsIsWrittenWhereAFileLacksIt) {
  const std::string unit = "<body><trans-unit id=\"1\"><source>One</source></trans-unit></body>";
  const std::string two = "<xliff version=\"1.2\"><file source-language=\"en-US\" original=\"a\">" +
                          unit + "</file><file target-language=\"pt\"><body/></file></xliff>";
  EXPECT_THAT(filled(read_into("pt_BR", two, "xliff")),
              HasSubstr("<file source-language=\"en-US\" original=\"a\" "
                        "target-language=\"pt-BR\"><body>"));
  EXPECT_THAT(filled(read_into("target", two, "xliff")),
              HasSubstr("<file source-language=\"en-US\" original=\"a\"><body>"));
  const std::string second =
      "<xliff version=\"2.1\" srcLang=\"en\"><file id=\"f\"><unit id=\"u\"><segment><source>One"
      "</source></segment></unit></file></xliff>";
  EXPECT_THAT(filled(read_into("de", second, "xliff")),
              HasSubstr("<xliff version=\"2.1\" srcLang=\"en\" trgLang=\"de\">"));
  EXPECT_THAT(message_of<UserError>([&] { read_into("target", second, "xliff"); }),
              HasSubstr("line 1: it has no trgLang"));
  EXPECT_THAT(message_of<UserError>([&] { read_into("fr", xliff_1(""), "xliff"); }),
              HasSubstr("target-language is de, and the language of the model is fr"));
}

TEST(XliffDocument, ASectionOfCdataIsTranslatedInside) {
  const Document read = read_into(
      "de", xliff_1("<trans-unit id=\"1\"><source><![CDATA[One & two]]></source></trans-unit>"),
      "xliff");
  EXPECT_THAT(model_texts(read), ElementsAre("One & two"));
  EXPECT_THAT(filled(read, {"Eins & ]]> zwei"}),
              HasSubstr("leveraged-mt\"><![CDATA[Eins & ]]]]><![CDATA[> zwei]]></target>"));
}

TEST(XliffDocument, UnitsOutsideOfTheirPlacesAreReadInOrder) {
  const std::string unit = "<trans-unit><source>One</source></trans-unit>";
  EXPECT_EQ(filled(read_into("de", "<?p?><xliff version=\"1.2\">" + unit + "</xliff>", "xliff")),
            "<?p?><xliff version=\"1.2\"><trans-unit><source>One</source>" + std::string(kFilled) +
                "One</target></trans-unit></xliff>");
  EXPECT_THAT(
      model_texts(read_into(
          "de", xliff_1("<trans-unit>" + unit + "<source>Two</source></trans-unit>"), "xliff")),
      ElementsAre("Two"));
}

TEST(XliffDocument, OtherFilesAreRefused) {
  EXPECT_THAT(message_of<UserError>([] { read_into("de", "<a>\n<b></a>", "xliff"); }),
              HasSubstr("line 2: it is not well-formed XML (mismatched tag)"));
  EXPECT_THAT(message_of<UserError>([] { read_into("de", "<html/>", "xliff"); }),
              HasSubstr("line 1: it begins with <html>"));
  EXPECT_THAT(message_of<UserError>([] { read_into("de", "<xliff version=\"3\"/>", "xliff"); }),
              HasSubstr("version=\"3\""));
}

}  // namespace
}  // namespace heed::document
