// Pairs whose words are no translations of each other.
#include "study/word_check.h"

#include <gtest/gtest.h>

#include <random>

namespace heed::study {
namespace {

/// Lines of three to six of so many words, each with its translation.
struct Corpus {
  std::vector<std::string> sources, targets;

  Corpus(int pairs, int words) {
    std::mt19937 random(1);
    for (int i = 0; i < pairs; ++i) {
      std::string source, target;
      for (unsigned left = 3 + random() % 4; left > 0; --left) {
        const std::string word = std::to_string(random() % words);
        source += "Wort" + word + " ";
        target += "word" + word + " ";
      }
      sources.push_back(source + ".");
      targets.push_back(target + "!");
    }
  }
};

TEST(WordCheck, FindsTheTargetOfAnotherLine) {
  Corpus corpus(1000, 60);
  for (int i = 0; i < 1000; i += 10) corpus.targets[i] = corpus.targets[i + 5];
  WordCheck check;
  for (int i = 0; i < 1000; ++i) check.learn(corpus.sources[i], corpus.targets[i]);
  int found = 0, wrong = 0;
  for (int i = 0; i < 1000; ++i)
    (i % 10 == 0 ? found : wrong) += check.is_odd(corpus.sources[i], corpus.targets[i]);
  EXPECT_GE(found, 95);
  EXPECT_LE(wrong, 18);
}

TEST(WordCheck, ShortLinesAndNewWordsTellNothing) {
  WordCheck check;
  const Corpus corpus(300, 20);
  for (int i = 0; i < 300; ++i) check.learn(corpus.sources[i], corpus.targets[i]);
  EXPECT_TRUE(check.is_odd("Wort1 Wort2 wort3", "word4 word5 word6"));
  EXPECT_FALSE(check.is_odd("Wort1 Wort2", "word4 word5 word6"));
  EXPECT_FALSE(check.is_odd("Wort1 Wort2 wort3", "new words alone"));
  EXPECT_FALSE(check.is_odd("", ""));
  WordCheck nothing;
  EXPECT_FALSE(nothing.is_odd("Wort1 Wort2 wort3", "word4 word5 word6"));
}

// Ten such pairs had 90 million entries in the lexicon of each direction, and took minutes.
TEST(WordCheck, PairsOfManyWordsAreNeitherLearnedNorJudgedAndCounted) {
  const Corpus corpus(300, 20);
  const auto line = [](const std::string& word, int first, int count) {
    std::string text;
    for (int i = first; i < first + count; ++i) text += word + std::to_string(i) + " ";
    return text;
  };
  WordCheck check, without;
  for (int i = 0; i < 10; ++i) check.learn(line("x", 3000 * i, 3000), line("y", 3000 * i, 3000));
  for (int i = 0; i < 300; ++i)
    for (WordCheck* one : {&check, &without}) one->learn(corpus.sources[i], corpus.targets[i]);
  EXPECT_EQ(check.learned(), 300U);
  EXPECT_FALSE(check.is_full());
  for (int i = 0; i < 300; ++i) {
    const std::string& other = corpus.targets[(i * 7 + 1) % 300];
    EXPECT_EQ(check.is_odd(corpus.sources[i], other), without.is_odd(corpus.sources[i], other));
  }
  EXPECT_EQ(check.too_long(), 0);
  EXPECT_FALSE(check.is_odd(line("Wort", 0, 257), "word1 word2 word3"));
  EXPECT_FALSE(check.is_odd("Wort1 Wort2 Wort3", line("word", 0, 20000)));
  EXPECT_EQ(check.too_long(), 2);
  EXPECT_TRUE(check.is_odd("Wort1 Wort2 Wort3 " + line("neu", 0, 253), "word4 word5 word6"));
  EXPECT_EQ(check.too_long(), 2);
}

}  // namespace
}  // namespace heed::study
