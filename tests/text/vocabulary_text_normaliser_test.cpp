// How a line is tidied before SentencePiece reads it. Models say with which version they were
// trained: where this changes, text::kTextNormaliser has to.
#include <gtest/gtest.h>

#include "temporary_folder.h"
#include "text/vocabulary.h"
#include "text/vocabulary_training.h"

namespace heed::text {
namespace {

TEST(TextNormaliser, OneTidiesBlanksAndChangesNothingElse) {
  const TemporaryFolder folder;
  const Vocabulary vocabulary =
      train_vocabulary({.files = {folder.write("text", "ab\u00e4 ba \u00e4b\nba ab\u00e4\n")},
                        .size = 10,
                        .algorithm = "bpe"});
  EXPECT_EQ(kTextNormaliser, "1");
  const auto ids = vocabulary.encode("ab\u00e4 ba");
  EXPECT_EQ(vocabulary.encode("\u3000ab\u00e4\t\u00a0\x01"
                              "ba "),
            ids);
  EXPECT_NE(vocabulary.encode("aba\u0308 ba"), ids);
  EXPECT_NE(vocabulary.encode("Ab\u00e4 ba"), ids);
}

}  // namespace
}  // namespace heed::text
