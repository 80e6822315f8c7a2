#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "message.h"
#include "temporary_folder.h"
#include "text/vocabulary.h"
#include "text/vocabulary_training.h"

namespace heed::text {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

struct VocabularySizeTest : testing::Test {
  TemporaryFolder folder;
  /// Five words, in many lines; characters are a to e and the mark of a word.
  std::string few = folder.write("few", repeated("a b ab\ncd e\n"));

  static std::string repeated(const std::string& text) {
    std::string all;
    for (int i = 0; i < 40; ++i) all += text;
    return all;
  }
  std::string fault(const VocabularyTraining& wanted) const {
    try {
      require_reachable(wanted);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }
  std::string fault(const std::string& file, int64_t size,
                    const std::string& algorithm = "bpe") const {
    return fault({.files = {file}, .size = size, .algorithm = algorithm});
  }
};

TEST_F(VocabularySizeTest, IsWhatTrainingSaysOfIt) {
  for (const char* algorithm : {"bpe", "unigram"}) {
    EXPECT_EQ(fault(few, 11, algorithm), "") << algorithm;
    const std::string said = fault(few, 500, algorithm);
    EXPECT_THAT(said, HasSubstr("too little text for 500 pieces; set data.vocabulary.size to at"));
    EXPECT_EQ(said, message_of<UserError>([&] {
                train_vocabulary({.files = {few}, .size = 500, .algorithm = algorithm});
              }));
  }
}

TEST_F(VocabularySizeTest, TooFewPiecesForTheCharactersAreSaidToo) {
  EXPECT_THAT(fault(few, 8), HasSubstr("8 pieces are too few for all its characters"));
  EXPECT_THAT(fault({.files = {few}, .size = 100, .byte_fallback = true}),
              HasSubstr("100 pieces are too few"));
}

TEST_F(VocabularySizeTest, OfATextWithWordsEnoughIsReachable) {
  std::string many;
  for (int i = 0; i < 3000; ++i)
    many += std::string{static_cast<char>('a' + i % 26), static_cast<char>('a' + i / 26 % 26),
                        static_cast<char>('a' + i / 676), '\n'};
  EXPECT_EQ(require_reachable({.files = {folder.write("many", many)}, .size = 900}).model, "");
}

TEST_F(VocabularySizeTest, OfATextInDoubtComesWithTheVocabularyThatTrainingGives) {
  const VocabularyTraining wanted{.files = {few}, .size = 11};
  const std::string file = folder / "few.spm";
  train_vocabulary(wanted).save(file);
  EXPECT_EQ(require_reachable(wanted).model, read_file(file));
}

TEST_F(VocabularySizeTest, SaysWhichRunsAreCut) {
  const std::string run = std::string(16'385, 'a'), allowed = run.substr(1);
  const std::string text = folder.write("text", "a b\n" + allowed + " b\n" + run + "\n" + run);
  const CutRuns cut = require_reachable({.files = {text}, .size = 7, .algorithm = "bpe"}).cut;
  EXPECT_EQ(cut.lines, 2);
  EXPECT_EQ(cut.text(),
            text +
                ":3: a run of more than 16,384 characters without a blank, as in 2 lines; such "
                "runs are cut for the training of the vocabulary");
  EXPECT_EQ(require_reachable({.files = {few}, .size = 11, .algorithm = "bpe"}).cut.text(), "");
}

TEST_F(VocabularySizeTest, WhatCannotBeReadIsNamed) {
  EXPECT_THAT(fault(folder / "nowhere", 10), HasSubstr("nowhere"));
}

TEST(Vocabulary, HasPiecesInCapitalsForAShareOfTheLines) {
  TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 40; ++i) text += "hund katze maus\n";
  const std::string file = folder.write("text", text);
  const auto train = [&](int64_t size, double upper) {
    return train_vocabulary({.files = {file}, .size = size, .algorithm = "bpe", .upper = upper});
  };
  // 4 special pieces, the blank, 11 letters, and the merges of three words: 4, 5 and 4; in capitals
  // as many letters and merges again.
  EXPECT_THAT(train(29, 0).encode("HUND"), Contains(kUnknown));
  EXPECT_EQ(train(53, 0.25).encode("HUND KATZE").size(), 2U);
  EXPECT_EQ(train(53, 0.25).encode("hund katze").size(), 2U);
}

}  // namespace
}  // namespace heed::text
