#include "text/invisible.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temporary_folder.h"
#include "text/piece_rule.h"
#include "text/vocabulary.h"
#include "text/vocabulary_training.h"

namespace heed::text {
namespace {

using testing::Contains;
using testing::ElementsAre;

TEST(Invisible, CharactersInsideWordsAreLeftOut) {
  EXPECT_EQ(without_invisible("Do\u00ADnau\u00ADdampf\u00ADschiff"), "Donaudampfschiff");
  EXPECT_EQ(without_invisible("\u200Bein\u200B Wort\u2060."), "ein Wort.");
  EXPECT_EQ(without_invisible("a\uFEFFb \u2068file.txt\u2069"), "ab file.txt");
  EXPECT_EQ(without_invisible("\u202Bשלום\u202C, \u200Fעולם\u200E"), "שלום, עולם");
  EXPECT_EQ(without_invisible("سلام\u061C"), "سلام");
  EXPECT_EQ(without_invisible("中\u200B文"), "中文");
  EXPECT_EQ(without_invisible(""), "");
}

TEST(Invisible, FillersAndFormsOfLettersAreLeftOut) {
  for (const std::string one : {"\u034F", "\uFE0F", "\uFE00", "\u180E", "\u2061", "\u2064",
                                "\uFFFC", "\u3164", "\U000E0061"}) {
    EXPECT_EQ(without_invisible("M" + one + "an"), "Man") << one;
    EXPECT_TRUE(has_invisible("M" + one + "an")) << one;
  }
  for (const std::string text : {"❤\uFE0F", "1\uFE0F\u20E3", "ℹ\uFE0F", "©\uFE0F", "ᠮ\u180Eᠮ",
                                 "\U0001F3F4\U000E0067\U000E0062\U000E007F", "က\uFE00"})
    EXPECT_EQ(without_invisible("a " + text), "a " + text);
}

TEST(Invisible, WordsOfNothingElseStay) {
  EXPECT_EQ(without_invisible("a \u00AD b"), "a \u00AD b");
  EXPECT_EQ(without_invisible("\u200B\u200D"), "\u200B\u200D");
  EXPECT_EQ(without_invisible("a\u00A0\u200B\u3000b"), "a\u00A0\u200B\u3000b");
}

TEST(Invisible, JoinersStayWhereAScriptNeedsThem) {
  EXPECT_EQ(without_invisible("Auf\u200Clage, \u200Dab\u200D"), "Auflage, ab");
  EXPECT_EQ(without_invisible("Шиф\u200Cфер"), "Шиффер");
  for (const std::string text : {"می\u200Cخواهم", "PDF\u200Cها", "क्\u200Dष", "ක්\u200Dෂ", "👩\u200D🚀",
                                 "❤\uFE0F\u200D🔥", "ᠮᠣᠩ\u200D"})
    EXPECT_EQ(without_invisible(text), text);
  EXPECT_EQ(without_invisible("می\u200C\u00ADخواهم"), "می\u200Cخواهم");
}

TEST(Invisible, ZeroWidthSpacesMayStayWhereTheyEndWords) {
  const std::string khmer = "ខ្ញុំ\u200Bស្រឡាញ់", mixed = "ខ្ញុំ\u200BPDF";
  EXPECT_EQ(without_invisible(khmer), "ខ្ញុំស្រឡាញ់");
  EXPECT_EQ(without_invisible(khmer, ZeroWidthSpaces::stay), khmer);
  EXPECT_EQ(without_invisible(mixed, ZeroWidthSpaces::stay), mixed);
  EXPECT_EQ(without_invisible("中\u200B文 a\u200Bb", ZeroWidthSpaces::stay), "中文 ab");
}

TEST(Invisible, AreFound) {
  for (const std::string text :
       {"a\u00AD", "\u061C", "\u200B", "a\u200Fb", "\u202A", "\u2066 a", "\uFEFF"})
    EXPECT_TRUE(has_invisible(text)) << text;
  for (const std::string text :
       {"", "a", "…“”‘’—", "\u00A0\u00AE", "سلام", "ﬁﬀ", "\u2028\u202F", "\xC2", "a\xE2\x80"})
    EXPECT_FALSE(has_invisible(text)) << text;
}

TEST(Invisible, TextIsPlain) {
  EXPECT_EQ(plain_text(" Donau\u00AD\u00A0\t dampf \n"), "Donau dampf");
  EXPECT_EQ(plain_text(" \u3000"), "");
}

TEST(VocabularyForTranslation, ReadsLinesWithoutThem) {
  const TemporaryFolder folder;
  const std::string text = folder.write("text", "der Hund\nHunde\nder Bund und Bunde\n");
  const Vocabulary plain = train_vocabulary({.files = {text}, .size = 20, .algorithm = "bpe"}),
                   vocabulary = plain.for_translation();
  const std::vector<int32_t> ids = plain.encode("der Hund");
  EXPECT_EQ(vocabulary.encode("\u200Eder Hu\u00ADnd"), ids);
  EXPECT_EQ(vocabulary.spell("der Hu\u00ADnd"), plain.spell("der Hund"));
  EXPECT_EQ(vocabulary.encode("der Hund"), ids);
  EXPECT_THAT(plain.encode("der Hu\u00ADnd"), Contains(kUnknown));
  EXPECT_EQ(vocabulary.encode("der Hu\u00ADnd", 2), plain.encode("der Hund", 2));
  // What is derived from it reads in the same way.
  EXPECT_EQ(vocabulary.with_end(false).encode("der Hu\u00ADnd"), ids);
  EXPECT_EQ(vocabulary.fingerprint(), plain.fingerprint());
  // It has no piece for what ends words in Khmer.
  EXPECT_EQ(vocabulary.encode("ខ\u200Bខ"), plain.encode("ខខ"));
}

TEST(VocabularyForTranslation, KeepsSpacesThatItKnows) {
  const TemporaryFolder folder;
  const std::string text = folder.write("text", "កខ\u200Bខក\u200Bកក\nខ\u200Bក ab ba\n");
  const Vocabulary plain = train_vocabulary({.files = {text}, .size = 14, .algorithm = "bpe"}),
                   vocabulary = plain.for_translation();
  EXPECT_EQ(vocabulary.encode("កខ\u200Bខក"), plain.encode("កខ\u200Bខក"));
  EXPECT_EQ(vocabulary.encode("a\u200Bb"), plain.encode("ab"));
}

}  // namespace
}  // namespace heed::text
