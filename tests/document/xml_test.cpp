#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "document/filled.h"
#include "document/xml_events.h"
#include "message.h"

namespace heed::document {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(XmlEvents, HaveAllBytesOfTheDocument) {
  const std::string text =
      "\xEF\xBB\xBF<?xml version=\"1.0\"?>\n<!DOCTYPE a [<!ENTITY e 'x<b/>'>]>\n<a "
      "x='1'>ä&lt;&#228;&e;\r\n"
      "<!-- c --><![CDATA[<z>]]><?p i?><b/><c></c >\n</a>\n<!-- d -->";
  std::string joined;
  std::size_t end = 0;
  for (const XmlEvent& event : xml_events(text)) {
    EXPECT_EQ(event.bytes.from, end);
    end = event.bytes.to;
    joined += text.substr(event.bytes.from, event.bytes.to - event.bytes.from);
  }
  EXPECT_EQ(joined, text);
  std::vector<std::string> names;
  for (const XmlEvent& event : xml_events("<a y=\"&quot;\"><p:b/>&amp;<![CDATA[x]]></a>"))
    names.push_back(std::to_string(static_cast<int>(event.kind)) + event.name + event.text);
  EXPECT_THAT(names, ElementsAre("0a", "0p:b", "1p:b", "3&", "4", "1a"));
}

TEST(XmlEvents, AttributesOfTagsAreChanged) {
  EXPECT_EQ(with_attribute("<a  b = '1' c=\"2\" />", "b", "<\"'>"),
            "<a  b = '&lt;&quot;&apos;&gt;' c=\"2\" />");
  EXPECT_EQ(with_attribute("<a b='/>' />", "c", "1"), "<a b='/>' c=\"1\" />");
  EXPECT_EQ(with_attribute("<a>", "c", "1"), "<a c=\"1\">");
  EXPECT_EQ(without_attribute("<a b='1'\n c='2'>", "c"), "<a b='1'>");
  EXPECT_EQ(without_attribute("<a b='c'>", "c"), "<a b='c'>");
  EXPECT_EQ(as_start_tag("<a b='1' />"), "<a b='1'>");
  EXPECT_EQ(as_start_tag("<a>"), "<a>");
}

TEST(XmlEvents, EntitiesAreNotExpanded) {
  std::string text = "<!DOCTYPE a [<!ENTITY e0 'x'>";
  for (int i = 1; i < 30; ++i) {
    const std::string before = "&e" + std::to_string(i - 1) + ";";
    text += "<!ENTITY e" + std::to_string(i) + " '" + before + before + before + before + "'>";
  }
  EXPECT_EQ(xml_events(text + "]><a>&e29;</a>").back().name, "a");
  EXPECT_THAT(message_of<UserError>([&] { xml_events(text + "]><a b='&e29;'/>"); }),
              HasSubstr("limit on input amplification factor"));
  EXPECT_THAT(model_texts(read_into("de",
                                    "<!DOCTYPE a SYSTEM 'file:///etc/hostname' [<!ENTITY f SYSTEM "
                                    "'file:///etc/hostname'>]><a>One &f; &g; two</a>",
                                    "xml")),
              ElementsAre("One X1 two"));
}

TEST(XmlEvents, OtherEncodingsAndBrokenDocumentsAreRefused) {
  const auto message = [](const std::string& bytes) {
    return message_of<UserError>([&] { xml_events(bytes); });
  };
  EXPECT_THAT(message("<?xml version='1.0' encoding='ISO-8859-1'?><a/>"),
              HasSubstr("its encoding is ISO-8859-1, and documents are read in UTF-8; convert it: "
                        "`iconv -f ISO-8859-1 -t UTF-8 OLD | sed '1s/ encoding=[^ ?]*//' > NEW`"));
  // iconv has converted it, and not what it says of itself.
  EXPECT_THAT(message("<?xml version='1.0' encoding='UTF-16'?><a/>"),
              HasSubstr("it says that its encoding is UTF-16, and it is UTF-8; mend the line: `sed "
                        "'1s/ encoding=[^ ?]*//' OLD > NEW`"));
  EXPECT_THAT(message("\xFF\xFE<"), HasSubstr("UTF-16"));
  EXPECT_THAT(message("<a>\n\n<b></a>"),
              HasSubstr("line 3: it is not well-formed XML (mismatched"));
  EXPECT_THAT(message("<a>\xE4</a>"), HasSubstr("invalid token"));
  EXPECT_THAT(message(""), HasSubstr("no element found"));
}

TEST(XmlDocument, ElementsWithTextAreTranslated) {
  const std::string text =
      "<?xml version=\"1.0\"?>\n<!-- No -->\n<doc title=\"No\">\n  <p>One <b>two</b>\n     "
      "three.</p>\n  <list>\n    <li>Four &lt; five</li><li><i>Six</i></li>\n  </list>\n  <code "
      "translate=\"no\">no</code><p its:translate=\"no\" xmlns:its=\"x\">no</p>\n</doc>\n";
  const Document read = read_into("de", text, "xml");
  EXPECT_THAT(model_texts(read), ElementsAre("One two three.", "Four < five", "Six"));
  EXPECT_THAT(read.lines(), ElementsAre(4, 7, 7));
  EXPECT_EQ(filled(read), text);
  EXPECT_THAT(filled(read, {"EINS ZWEI DREI.", "VIER > \"FUENF\"", "SECHS"}),
              HasSubstr("<p>EINS <b>ZWEI</b>\n     DREI.</p>\n  <list>\n    <li>VIER &gt; "
                        "\"FUENF\"</li><li><i>SECHS</i></li>"));
}

TEST(XmlDocument, ElementsBetweenTextStandInTheSentenceUnlessTheyAreLists) {
  EXPECT_THAT(
      model_texts(read_into("de",
                            "<p>One <a><b>two</b></a>, <br/>three: <ul><li>four</li><li>"
                            "five</li></ul> and <k translate=\"no\">no</k> <c><!-- x --></c>"
                            " six.</p>",
                            "xml")),
      ElementsAre("One two, three:", "four", "five", "and X1 six."));
}

TEST(XmlDocument, TextInAnotherLanguageStays) {
  const auto texts = [](const std::string& bytes, const std::string& source = "en") {
    const Document read(bytes, *format_named("xml"), {.read = {.source_language = source}});
    EXPECT_EQ(filled(read), bytes);
    return model_texts(read);
  };
  const std::string names =
      "<c><n>House</n><n xml:lang=\"nl\">Huis</n><n xml:lang=\"zh_TW\">房屋</n><n "
      "xml:lang=\"sr@latin\">Kuća</n><n xml:lang=\"ast\">Casa</n><n xml:lang=\"x-test\">xx"
      "House</n><n xml:lang=\"en-GB\">Home</n><n xml:lang=\"\">Hut</n><p xml:lang=\"fr\">Un <b "
      "xml:lang=\"en\">dog</b> deux</p></c>";
  EXPECT_THAT(texts(names), ElementsAre("House", "Home", "Hut", "dog"));
  EXPECT_THAT(texts(names, "eng_Latn"), ElementsAre("House", "Home", "Hut", "dog"));
  EXPECT_THAT(texts("<p>The <b xml:lang=\"fr\">chien noir</b> runs.</p>"),
              ElementsAre("The X1 runs."));
  // The source is not known: it is that of the root, or no text is in another language.
  EXPECT_THAT(texts("<a xml:lang=\"fr\"><p>Un</p><p xml:lang=\"de\">Zwei</p></a>", ""),
              ElementsAre("Un"));
  EXPECT_THAT(texts("<a><p xml:lang=\"fr\">Un</p><p xml:lang=\"de\">Zwei</p></a>", ""),
              ElementsAre("Un", "Zwei"));
  EXPECT_THAT(texts("<a xml:lang=\"fr\"><p>Un</p><p xml:lang=\"en\">Two</p></a>"),
              ElementsAre("Two"));
  EXPECT_THAT(texts("<chapter lang=\"en\"><para>One</para><para lang=\"fr\">Deux</para></chapter>"),
              ElementsAre("One"));
  EXPECT_THAT(texts("<a><p lang=\"fr\">One</p></a>"), ElementsAre("One"));
  // A template may have written the wrong language.
  EXPECT_THAT(texts("<a xml:lang=\"fr\"><p>One</p><p xml:lang=\"de\">Zwei</p></a>"),
              ElementsAre("One"));
}

TEST(XmlDocument, TheNearestElementSaysWhatIsTranslated) {
  const std::string text =
      "<page><p>Press the <media its:translate=\"no\" src=\"a\"><span its:translate=\"yes\">green "
      "house</span></media> button.</p>\n<media translate=\"no\">no<p translate=\"yes\">The <b "
      "translate=\"no\">no</b> dog.</p>no</media>\n<p translate=\"no\">no <em>no</em> <em "
      "translate=\"yes\">runs</em>.</p><p>One.</p></page>";
  const Document read = read_into("de", text, "xml");
  EXPECT_THAT(model_texts(read),
              ElementsAre("Press the X1 button.", "green house", "The X1 dog.", "runs", "One."));
  EXPECT_EQ(filled(read), text);
  EXPECT_EQ(filled(read, {"X1 A.", "B C", "X1 D.", "E", "F."}),
            "<page><p><media its:translate=\"no\" src=\"a\"><span its:translate=\"yes\">B "
            "C</span></media> A.</p>\n<media translate=\"no\">no<p translate=\"yes\"><b "
            "translate=\"no\">no</b> D.</p>no</media>\n<p translate=\"no\">no <em>no</em> <em "
            "translate=\"yes\">E</em>.</p><p>F.</p></page>");
}

TEST(XmlDocument, CodeOfMallardDocBookAndDitaStays) {
  const std::string mallard =
      "<page xmlns=\"http://projectmallard.org/1.0/\"><p>Run <cmd>sudo apt install</cmd> and open "
      "<file>the/file</file>.</p>\n<code>\n# The dog\nx = 1\n</code>\n<screen><output>$ "
      "</output><input>ls</input></screen><p>See: <screen>ls\n  -l</screen> and go.</p></page>";
  EXPECT_THAT(model_texts(read_into("de", mallard, "xml")),
              ElementsAre("Run X1 and open X2.", "See:", "and go."));
  EXPECT_EQ(filled(read_into("de", mallard, "xml"), {"A X1 B X2.", "C:", "D."}),
            "<page xmlns=\"http://projectmallard.org/1.0/\"><p>A <cmd>sudo apt install</cmd> B "
            "<file>the/file</file>.</p>\n<code>\n# The dog\nx = 1\n</code>\n<screen><output>$ "
            "</output><input>ls</input></screen><p>C: <screen>ls\n  -l</screen> D.</p></page>");
  const std::string type = "<!DOCTYPE part PUBLIC \"-//OASIS//DTD DocBook XML V4.5//EN\" \"d\">";
  for (const auto& [begin, end] : std::vector<std::pair<std::string, std::string>>{
           {"<article xmlns=\"http://docbook.org/ns/docbook\">", "</article>"},
           {type + "<part>", "</part>"},
           {"<chapter>", "</chapter>"}})
    EXPECT_THAT(model_texts(read_into("de",
                                      begin +
                                          "<para>Use <literal>the house</literal>.</para>"
                                          "<programlisting>The dog\n  runs.</programlisting>" +
                                          end,
                                      "xml")),
                ElementsAre("Use X1."))
        << begin;
  // The command of a step is text in DITA.
  EXPECT_THAT(
      model_texts(read_into("de",
                            "<!DOCTYPE task PUBLIC \"-//OASIS//DTD DITA Task//EN\" \"task.dtd\">"
                            "<task><step><cmd>Open the <filepath>big file</filepath>.</cmd></step>"
                            "<codeblock>no\nno</codeblock></task>",
                            "xml")),
      ElementsAre("Open the X1."));
  // Elsewhere they may be anything.
  EXPECT_THAT(model_texts(read_into("de", "<a><cmd>One</cmd><code>Two</code></a>", "xml")),
              ElementsAre("One", "Two"));
  EXPECT_THAT(model_texts(read_into("de",
                                    "<page xmlns=\"http://projectmallard.org/1.0/\"><code "
                                    "translate=\"yes\">One</code></page>",
                                    "xml")),
              ElementsAre("One"));
}

TEST(XmlDocument, WhatIsNoTextStays) {
  for (const std::string text :
       {"<a/>", "<a> </a>", "<a><![CDATA[One two]]></a>", "<a><?p One?><!-- Two --></a>",
        "<a b=\"One\">...</a>", "<script translate=\"no\">One<b>two</b></script>"}) {
    EXPECT_THAT(model_texts(read_into("de", text, "xml")), IsEmpty()) << text;
    EXPECT_EQ(filled(read_into("de", text, "xml")), text);
  }
}

/// Documents of random elements come back as they are, and stay well-formed with other texts.
TEST(XmlDocument, GivesItsBytesBack) {
  const std::vector<std::string> parts = {
      "One",   " ",          ". Two ",          "\n\n",  "\r\n  ", "&lt;b&gt;",
      "&#10;", "<!-- x -->", "<![CDATA[<y>]]>", "<br/>", "&amp;",  "ä"};
  const std::vector<std::string> names = {"b", "c", "d", "e", "codeph", "codeblock"},
                                 attributes = {"",
                                               "",
                                               "",
                                               "",
                                               " translate='no'",
                                               " translate='yes'",
                                               " xml:lang='fr'",
                                               " xml:lang='en'"};
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = "<a>";
    std::vector<std::string> open;
    for (unsigned left = random() % 40; left > 0; --left) {
      const unsigned choice = random() % 6;
      if (choice == 0) {
        open.push_back(names[random() % names.size()]);
        bytes += '<' + open.back() + attributes[random() % attributes.size()] + '>';
      } else if (choice == 1 && !open.empty()) {
        bytes += "</" + open.back() + '>';
        open.pop_back();
      } else {
        bytes += parts[random() % parts.size()];
      }
    }
    for (; !open.empty(); open.pop_back()) bytes += "</" + open.back() + '>';
    bytes += "</a>";
    const Document read = read_into("de", bytes, "xml");
    ASSERT_EQ(filled(read), bytes);
    const std::size_t count = read.text().segments().size();
    ASSERT_NO_THROW(
        xml_events(filled(read, std::vector<std::string>(count, "x ]]> <y> & \"z\" .."))))
        << bytes;
  }
}

TEST(XmlDocument, DeepElementsAreReadInTime) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "<a>";
  text += "One";
  for (int i = 0; i < 20000; ++i) text += "</a>";
  EXPECT_EQ(filled(read_into("de", text, "xml")), text);
  std::string mixed = "One two ";
  for (int i = 0; i < 2000; ++i) mixed = "<a>x " + mixed + "</a>";
  EXPECT_EQ(filled(read_into("de", mixed, "xml")), mixed);
}

std::vector<std::string> model_texts_of_xml(const std::string& bytes) {
  return model_texts(read_into("de", bytes, "xml"));
}

TEST(Xml, StringsThatAreNotTranslatableStay) {
  EXPECT_THAT(model_texts_of_xml("<resources><string name=\"a\">One</string><string name=\"b\" "
                                 "translatable=\"false\">Two</string></resources>"),
              ElementsAre("One"));
}

TEST(Xml, OfAppStreamIsTranslatedWhatItsRulesName) {
  EXPECT_THAT(
      model_texts_of_xml(
          "<component type=\"desktop\"><id>org.a.One</id><name>Two</name><project_license>"
          "GPL</project_license><name translatable=\"no\">Three</name><description><p>Four "
          "<code>five</code>.</p></description><developer id=\"x\"><name>Six</name></developer>"
          "<categories><category>Seven</category></categories></component>"),
      ElementsAre("Two", "Four X1.", "Six"));
}

TEST(Xml, ATranslationBesideItsTextStays) {
  const std::string bytes =
      "<component><_name>Two</_name><summary>One</summary><_name xml:lang=\"sk\">Dva</_name>"
      "<summary xml:lang=\"de\">Ein</summary><description><_p>Four</_p><_p xml:lang=\"de\">Vier"
      "</_p><_p>Five</_p><_p xml:lang=\"en\">Six</_p></description></component>";
  // No language is asked for.
  const auto read = [](const std::string& text) {
    return model_texts({text, *format_named("xml"), {}});
  };
  EXPECT_THAT(read(bytes), ElementsAre("Two", "One", "Four", "Five"));
  // In a text of which all say their language none is a translation.
  EXPECT_THAT(read("<a><b xml:lang=\"en\">One</b><b xml:lang=\"sk\">Two</b></a>"),
              ElementsAre("One", "Two"));
}

TEST(Xml, OfResourcesOfDotNetTheStringsAreTranslated) {
  const std::string bytes =
      "<root><resheader name=\"resmimetype\"><value>text/microsoft-resx</value></resheader>"
      "<resheader name=\"reader\"><value>The reader</value></resheader><data name=\"a\" "
      "xml:space=\"preserve\"><value>Hello {0}</value><comment>No</comment></data><data name=\"b\" "
      "type=\"System.Drawing.Size\"><value>1, 2</value></data><data name=\"c\" "
      "mimetype=\"application/x-a\"><value>AAEC</value></data><data name=\">>d.Name\"><value>no"
      "</value></data><metadata name=\"e\"><value>No</value></metadata></root>";
  EXPECT_THAT(model_texts_of_xml(bytes), ElementsAre("Hello X1"));
  EXPECT_EQ(filled(read_into("de", bytes, "xml")), bytes);
}

TEST(Xml, OfAPageOfXWikiTitleAndContentAreTranslated) {
  EXPECT_THAT(
      model_texts_of_xml("<xwikidoc version=\"1.5\"><web>Sandbox</web><name>House</name>"
                         "<author>xwiki:XWiki.Admin</author><title>The house</title><content>One."
                         "</content><object><name>no</name><property><content>No</content>"
                         "</property></object></xwikidoc>"),
      ElementsAre("The house", "One."));
}

/// What the model sees of a document with rules, and what was told.
struct WithRules {
  std::vector<std::string> texts, warnings;
};

WithRules with_rules(const std::string& rules, const std::string& rest,
                     const std::string& attributes = "") {
  WithRules out;
  const std::string bytes =
      "<doc xmlns:its=\"http://www.w3.org/2005/11/its\">\n<its:rules "
      "version=\"2.0\"" +
      attributes + ">" + rules + "</its:rules>" + rest + "</doc>";
  const Document read(bytes, *format_named("xml"),
                      {.read = {.source_language = "en", .warn = [&](const std::string& warning) {
                                  out.warnings.push_back(warning);
                                }}});
  EXPECT_EQ(filled(read), bytes);
  out.texts = model_texts(read);
  return out;
}

TEST(ItsRules, SayWhatIsTranslated) {
  const WithRules found = with_rules(
      "<its:translateRule selector=\"//code | //p:kbd\" translate=\"no\" xmlns:p=\"urn:p\"/>"
      "<its:translateRule selector=\"//code\" translate=\"yes\"/>"
      "<its:translateRule selector=\"//id\" translate=\"no\"/>",
      "<p>Press <q:kbd xmlns:q=\"urn:p\">the key</q:kbd> of <kbd>one</kbd>.</p><code>Two</code>"
      "<id>No <b>no</b> <i its:translate=\"yes\">three</i></id><id xmlns=\"urn:p\">Four</id>");
  EXPECT_THAT(found.texts, ElementsAre("Press X1 of one.", "Two", "three", "Four"));
  EXPECT_THAT(found.warnings, IsEmpty());
  EXPECT_THAT(
      with_rules("<its:locNoteRule><its:locNote>no</its:locNote></its:locNoteRule>", "<p>One</p>")
          .texts,
      ElementsAre("One"));
  EXPECT_THAT(with_rules("<its:translateRule selector=\"//*\" translate=\"no\"/>"
                         "<its:translateRule selector=\"//p\" translate=\"yes\"/>",
                         "<a>No</a><p>One <b>no</b></p>")
                  .texts,
              ElementsAre("One X1"));
}

TEST(ItsRules, AttributesAreTranslatedIfARuleSaysIt) {
  EXPECT_THAT(
      with_rules("<its:translateRule selector=\"//img/@alt | //@x\" translate=\"yes\"/>"
                 "<its:translateRule selector=\"//img/@alt | //*/@title\" translate=\"yes\"/>"
                 "<its:translateRule selector=\"//b/@title\" translate=\"no\"/>",
                 "<p title='One &amp; two'>Three <img src=\"a\" alt=\"four\nfive\" "
                 "title=\"six\"/> <b title=\"no\">seven</b></p><s translate=\"no\">no <u "
                 "title=\"eight\"/></s>")
          .texts,
      ElementsAre("One & two", "Three seven", "four five", "six", "eight"));
  const std::string page =
      "<doc xmlns:i=\"http://www.w3.org/2005/11/its\"><i:rules><i:translateRule "
      "selector=\"//p/@t\" translate=\"yes\"/></i:rules><p t='One'>Two</p></doc>";
  EXPECT_THAT(filled(read_into("de", page, "xml"), {"\"A' <", "B"}),
              HasSubstr("<p t='&quot;A&#39; &lt;'>B</p>"));
}

TEST(ItsRules, OthersAreToldAndNotFollowed) {
  const WithRules found = with_rules(
      "<its:translateRule selector=\"//a[@b]\" translate=\"no\"/>"
      "<its:translateRule selector=\"/doc/a\" translate=\"no\"/>",
      "<a b=\"c\">One</a>", " xlink:href=\"rules.xml\" xmlns:xlink=\"x\"");
  EXPECT_THAT(found.texts, ElementsAre("One"));
  EXPECT_THAT(found.warnings,
              ElementsAre("line 2: the rules in rules.xml are not read; write those of what is "
                          "translated into the document",
                          testing::StartsWith("line 2: the rule for '//a[@b]' is not followed"),
                          testing::StartsWith("line 2: the rule for '/doc/a' is not followed")));
  // Rules of another vocabulary are none.
  EXPECT_THAT(model_texts_of_xml("<a><rules xmlns=\"urn:x\"><translateRule selector=\"//b\" "
                                 "translate=\"no\"/></rules><b>One</b></a>"),
              ElementsAre("One"));
}

TEST(Xml, EntitiesAreWordsAndNeedNoDeclaration) {
  const std::string part =
      "<chapter><para>&kate; is an editor&nbsp;of the &kde; house.</para></chapter>";
  EXPECT_THAT(model_texts_of_xml(part), ElementsAre("X1 is an editor\u00A0of the X2 house."));
  EXPECT_EQ(filled(read_into("de", part, "xml")), part);
  EXPECT_EQ(filled(read_into("de", part, "xml"), {"X2 A X1."}),
            "<chapter><para>&kde; A &kate;.</para></chapter>");
  EXPECT_THROW(xml_events(part), UserError);
}

TEST(Xml, CataloguesOfQtAreRefused) {
  EXPECT_THAT(message_of<UserError>([] {
                read_into("de", "<!DOCTYPE TS>\n<TS version=\"2.1\"><context/></TS>", "xml");
              }),
              HasSubstr("line 2: it is a catalogue of Qt"));
}

}  // namespace
}  // namespace heed::document
