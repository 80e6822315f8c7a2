#include "text/normal_form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "temporary_folder.h"
#include "text/vocabulary.h"
#include "text/vocabulary_training.h"

namespace heed::text {
namespace {

using testing::HasSubstr;

TEST(NormalForm, JoinsLettersAndMarks) {
  EXPECT_EQ(to_nfc("fu\u0308r"), "für");
  EXPECT_EQ(to_nfc("für ﬁ Ａ"), "für ﬁ Ａ");  // no compatible characters are folded
  EXPECT_EQ(to_nfc("\u1112\u1161\u11AB"), "한");
  EXPECT_EQ(to_nfc(""), "");
}

TEST(NormalForm, IsDecomposedWhereItWouldJoinSomething) {
  EXPECT_TRUE(is_decomposed("fu\u0308r"));
  EXPECT_TRUE(is_decomposed("\u1112\u1161\u11AB"));
  for (const char* line : {"", "fur", "für", "한", "x\u0301", "แมวดำ", "東京"})
    EXPECT_FALSE(is_decomposed(line)) << line;
}

TEST(NormalForm, ComposedLettersAreThoseThatNfdTakesApart) {
  for (const char* line : {"für", "한", "Ａé"}) EXPECT_TRUE(has_composed(line)) << line;
  for (const char* line : {"fur", "fu\u0308r", "東京", "ß"})
    EXPECT_FALSE(has_composed(line)) << line;
}

class Normalised : public testing::Test {
 protected:
  Vocabulary trained(const std::string& form) const {
    return train_vocabulary({.files = {text}, .size = 40, .algorithm = "bpe", .normalise = form});
  }
  TemporaryFolder folder;
  std::string text = folder.write("text", "für Bücher ﬁ é\nÄrger müde é ǖ\nfür müde Bücher\n");
};

TEST_F(Normalised, VocabulariesChangeNothingByDefault) {
  const Vocabulary plain = trained("none");
  EXPECT_EQ(plain.decode(plain.encode("für ﬁ")), "für ﬁ");
  EXPECT_NE(plain.encode("fu\u0308r"), plain.encode("für"));
}

TEST_F(Normalised, WithNfcDecomposedLettersAreTheComposedOnes) {
  const Vocabulary nfc = trained("nfc");
  EXPECT_EQ(nfc.encode("fu\u0308r Bu\u0308cher e\u0301"), nfc.encode("für Bücher é"));
  // U+01D6, with one mark joined and with none.
  EXPECT_EQ(nfc.encode("\u00FC\u0304"), nfc.encode("\u01D6"));
  EXPECT_EQ(nfc.encode("u\u0308\u0304"), nfc.encode("\u01D6"));
  EXPECT_EQ(nfc.decode(nfc.encode("für ﬁ")), "für ﬁ");
  // The table is in the file.
  nfc.save(folder / "nfc.spm");
  const Vocabulary again = Vocabulary::load(folder / "nfc.spm");
  EXPECT_EQ(again.encode("fu\u0308r"), nfc.encode("für"));
}

TEST_F(Normalised, WithNfkcCompatibleCharactersAreOne) {
  const Vocabulary nfkc = trained("nfkc");
  EXPECT_EQ(nfkc.encode("fu\u0308r"), nfkc.encode("für"));
  EXPECT_EQ(nfkc.decode(nfkc.encode("ﬁ")), "fi");
}

TEST_F(Normalised, AnotherFormIsRefused) {
  try {
    trained("nfd");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("data.vocabulary.normalise is none, nfc or nfkc"));
  }
}

TEST(NormalForm, ManyMarksAreReadInTime) {
  std::string marks;
  for (int i = 0; i < 200000; ++i) marks += "\u0301\u0323";
  EXPECT_EQ(to_nfc("a\u0301\u0323"), "\u1EA1\u0301");
  EXPECT_EQ(to_nfc("a" + marks).size(), 2 + 2 * 399999 + 1);  // minutes, if all were sorted
}

}  // namespace
}  // namespace heed::text
