#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "document/filled.h"
#include "message.h"

namespace heed::document {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string tmx(const std::string& units) {
  return "<tmx version=\"1.4\"><header srclang=\"EN-us\"/><body>\n" + units + "</body></tmx>\n";
}
std::string variant(const std::string& language, const std::string& text) {
  return "<tuv xml:lang=\"" + language + "\"><seg>" + text + "</seg></tuv>";
}

TEST(TmxDocument, UnitsWithoutTheLanguageGetAVariant) {
  const std::string unit =
      "  <tu>\n    <tuv xml:lang=\"EN-us\">\n      <seg>One &amp; two</seg>\n    </tuv>\n";
  EXPECT_EQ(
      filled(read_into("de", tmx(unit + "  </tu>\n"), "tmx"), {"Eins < zwei"}),
      tmx(unit +
          "    <tuv xml:lang=\"de\">\n      <seg>Eins &lt; zwei</seg>\n    </tuv>\n  </tu>\n"));
}

TEST(TmxDocument, EmptyVariantsAreFilledAndOthersStay) {
  const std::string done = "<tu>" + variant("en", "One") + variant("DE-AT", "Eins") + "</tu>";
  EXPECT_EQ(filled(read_into("de",
                             tmx(done + "<tu>" + variant("fr", "Deux") + variant("en-GB", "Two") +
                                 "</tu><tu>" + variant("DE-AT", " ") + variant("en", "Three") +
                                 "</tu><tu>" + variant("fr", "Quatre") + "</tu>"),
                             "tmx"),
                   {"Zwei", "Drei"}),
            tmx(done + "<tu>" + variant("fr", "Deux") + variant("en-GB", "Two") +
                variant("DE-AT", "Zwei") + "</tu><tu>" + variant("DE-AT", "Drei") +
                variant("en", "Three") + "</tu><tu>" + variant("fr", "Quatre") + "</tu>"));
}

TEST(TmxDocument, NativeCodeIsNoText) {
  const Document read =
      read_into("de",
                tmx("<tu>" +
                    variant("en",
                            "The <bpt i=\"1\">&lt;a title=\"<sub>x</sub>\"&gt;</bpt>red<ept "
                            "i=\"1\">&lt;/a&gt;</ept> <hi>house</hi> of <ph x=\"2\">%s</ph>\nus") +
                    "</tu>"),
                "tmx");
  EXPECT_THAT(model_texts(read), ElementsAre("The red house of X1 us"));
  EXPECT_THAT(
      filled(read, {"DAS ROTE HAUS VON X1 UNS"}),
      HasSubstr("DAS <bpt i=\"1\">&lt;a title=\"<sub>x</sub>\"&gt;</bpt>ROTE<ept "
                "i=\"1\">&lt;/a&gt;</ept> <hi>HAUS</hi> VON <ph x=\"2\">%s</ph>\nUNS</seg>"));
}

TEST(TmxDocument, LanguagesHaveToBeKnown) {
  const std::string bytes = tmx("<tu>" + variant("fr", "Un") + "</tu>");
  EXPECT_THAT(message_of<UserError>([&] { read_into("de", bytes, "tmx"); }),
              HasSubstr("line 2: no <tuv> is in en"));
  EXPECT_THAT(message_of<UserError>([&] { read_into("target", bytes, "tmx"); }),
              HasSubstr("--target-language de"));
  EXPECT_THAT(message_of<UserError>([&] { read_into("de", "<xliff/>", "tmx"); }),
              HasSubstr("it begins with <xliff>"));
}

TEST(Tmx, IdsAreNotCopied) {
  const std::string bytes =
      "<tmx version=\"1.4\"><header srclang=\"en\"/><body><tu><tuv xml:lang=\"en\"><seg>One <hi "
      "xml:id=\"a1\" type='x'>xml:id=\"b\"</hi></seg></tuv></tu></body></tmx>";
  const Document read = read_into("de", bytes, "tmx");
  const std::string copy = "<seg>One <hi type='x'>xml:id=\"b\"</hi></seg></tuv></tu>";
  EXPECT_THAT(filled(read), testing::HasSubstr(copy));
  EXPECT_THAT(filled(read, {"Eins x"}), testing::HasSubstr("<hi type='x'>x</hi>"));
}

}  // namespace
}  // namespace heed::document
