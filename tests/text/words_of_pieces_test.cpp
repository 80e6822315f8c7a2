#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temporary_folder.h"
#include "text/vocabulary.h"
#include "text/vocabulary_training.h"
#include "text/words.h"

namespace heed::text {
namespace {

using testing::ElementsAre;

class WordsOf : public testing::Test {
 protected:
  WordsOfPieces of(const std::string& line) const {
    return words_of(vocabulary, vocabulary.encode(line));
  }

  TemporaryFolder folder;
  // A piece for each letter, <bt> and the word start.
  Vocabulary vocabulary =
      train_vocabulary({.files = {folder.write("letters", "a b c d e f g h\nh g f e d c b a\n")},
                        .size = 14,
                        .algorithm = "bpe",
                        .symbols = {"<bt>"}});
};

TEST_F(WordsOf, PiecesCountTheWordsBetweenBlanks) {
  EXPECT_THAT(of("ab c").word_of, ElementsAre(0, 0, 0, 1, 1));
  EXPECT_EQ(of("ab c").words, 2);
  EXPECT_EQ(of("").words, 0);
}

TEST_F(WordsOf, ATagIsAWordOfItsOwn) {
  EXPECT_THAT(of("<bt> a b").word_of, ElementsAre(0, 1, 1, 2, 2));
  EXPECT_THAT(of("a<bt>b c").word_of, ElementsAre(0, 0, 0, 0, 1, 1));
}

TEST_F(WordsOf, UnknownCharactersArePartsOfTheirWord) {
  for (const char* line : {"a\u00e9b c", "\u00e9 \u00e9", "\u00e9", "ab\u00e9\u00e9 \u00e9c",
                           "a \u3000 b\tc", " a  b "})
    EXPECT_EQ(of(line).words, count_words(line)) << line;
}

TEST_F(WordsOf, DrawnPiecesAreOfTheSameWords) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const WordsOfPieces words =
        words_of(vocabulary, vocabulary.sample("abc def \u00e9h a", 0.5, seed));
    EXPECT_EQ(words.words, 4) << seed;
    EXPECT_TRUE(std::ranges::is_sorted(words.word_of)) << seed;
  }
}

TEST_F(WordsOf, TheFirstPiecesAreThoseOfTheFirstWords) {
  std::vector<int32_t> ids = vocabulary.encode("ab c");
  ids.resize(2);
  const WordsOfPieces words = words_of(vocabulary, ids);
  EXPECT_THAT(words.word_of, ElementsAre(0, 0));
  EXPECT_EQ(words.words, 1);
}

}  // namespace
}  // namespace heed::text
