#include "document/android_strings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "document/filled.h"

namespace heed::document {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string strings_of(const std::string& values) {
  return "<resources xmlns:xliff=\"urn:x\">" + values + "</resources>";
}

std::string string_of(const std::string& value) {
  return strings_of("<string name=\"a\">" + value + "</string>");
}

/// What the model sees of a value. Its own words leave the file as it is.
std::vector<std::string> texts_of_value(const std::string& value) {
  const std::string bytes = string_of(value);
  const Document read = read_into("de", bytes, "xml");
  EXPECT_EQ(filled(read), bytes) << value;
  return model_texts(read);
}

/// A value with these translations.
std::string translated_value(const std::string& value, const std::vector<std::string>& texts) {
  const std::string out = filled(read_into("de", string_of(value), "xml"), texts);
  const std::size_t from = string_of("").find("</string>");
  return out.substr(from, out.size() - from - std::string("</string></resources>").size());
}

// What aapt2 (2.19 of Debian 12) makes of these values.
TEST(AndroidStrings, EscapesAreCharacters) {
  EXPECT_THAT(texts_of_value("\\@The dog \\\"runs\\\", isn\\'t it\\? \\u0041\\u00e9 \\# \\\\ \\x"),
              ElementsAre("@The dog \"runs\", isn't it?", "Aé # \\ x"));
  EXPECT_THAT(texts_of_value("One.\\n\\nTwo goes\\non here"),
              ElementsAre("One.", "Two goes on here"));
  EXPECT_THAT(texts_of_value("One\\n- two\\n- three"), ElementsAre("One", "- two", "- three"));
  EXPECT_THAT(texts_of_value("One\\ttwo"), ElementsAre("One", "two"));
  EXPECT_THAT(texts_of_value("One\\u0020two\\u00a0three"), ElementsAre("One two\u00A0three"));
  EXPECT_THAT(texts_of_value("&quot;It&#10;runs \\&quot;there&#34;"),
              ElementsAre("It", "runs \"there"));
  EXPECT_THAT(texts_of_value("One \\uD83D\\ude00 two"), ElementsAre("One \U0001F600 two"));
  // Half a surrogate and half an escape stay.
  EXPECT_THAT(texts_of_value("One \\ud83d two \\u12 is"), ElementsAre("One X1 two X2 is"));
  EXPECT_THAT(texts_of_value("One \\"), ElementsAre("One"));
}

TEST(AndroidStrings, QuoteMarksKeepBlanks) {
  EXPECT_THAT(texts_of_value("\"  One it's two  \""), ElementsAre("One it's two"));
  EXPECT_EQ(translated_value("\"  One it's two  \"", {"EINS \"ES\" ZWEI"}),
            "\"  EINS \\\"ES\\\" ZWEI  \"");
  // Another one is no character.
  EXPECT_THAT(texts_of_value("One \"two\" three\""), ElementsAre("One two three"));
  EXPECT_EQ(translated_value("One \"two\" three\"", {"EINS ZWEI DREI"}), "EINS ZWEI DREI");
  EXPECT_THAT(texts_of_value("\"One <b>two</b>\""), ElementsAre("One two"));
  EXPECT_THAT(texts_of_value("\""), IsEmpty());
  EXPECT_THAT(texts_of_value("\"\""), IsEmpty());
}

TEST(AndroidStrings, TranslationsAreWrittenWithEscapes) {
  EXPECT_EQ(translated_value("Don\\'t do it.", {"'T & \"D\" <\\"}),
            "\\'T &amp; \\\"D\\\" &lt;\\\\");
  EXPECT_EQ(translated_value("One two.", {"@string/x y"}), "\\@string/x y");
  EXPECT_EQ(translated_value("  \\?One two.", {"? A."}), "  \\? A.");
  EXPECT_EQ(translated_value("One.\\n\\nTwo\\nthree.", {"EINS.", "ZWEI DREI."}),
            "EINS.\\n\\nZWEI\\nDREI.");
}

TEST(AndroidStrings, PlaceholdersStay) {
  EXPECT_THAT(
      texts_of_value("Hi %1$s and <xliff:g id=\"n\" example=\"Bob\">%2$d dogs</xliff:g> run"),
      ElementsAre("Hi X1 and X2 run"));
  EXPECT_EQ(translated_value("<b>%d</b> of %s dogs", {"DOGS X1 OF X2"}), "DOGS <b>%d</b> OF %s");
}

TEST(AndroidStrings, ReferencesStay) {
  for (const std::string value : {"@string/app_name", " ?attr/color ", "@+id/one", "@null",
                                  "@*android:string/ok", "?colorPrimary"})
    EXPECT_THAT(texts_of_value(value), IsEmpty()) << value;
  EXPECT_THAT(texts_of_value("@ the house"), ElementsAre("@ the house"));
}

TEST(AndroidStrings, OnlyStringsAreTranslated) {
  const std::string bytes = strings_of(
      "<color name=\"a\">red house</color><string-array name=\"b\"><item>One</item><item>@string/x"
      "</item></string-array><plurals name=\"c\"><item quantity=\"one\">%d dog</item></plurals>"
      "<integer-array name=\"d\"><item>no</item></integer-array><style name=\"e\"><item "
      "name=\"f\">no</item></style><string name=\"g\" translatable=\"false\">No</string>");
  EXPECT_THAT(model_texts(read_into("de", bytes, "xml")), ElementsAre("One", "X1 dog"));
  // Another format has the same root.
  EXPECT_THAT(model_texts(read_into("de", "<resources><text>\\'One</text></resources>", "xml")),
              ElementsAre("\\'One"));
}

}  // namespace
}  // namespace heed::document
