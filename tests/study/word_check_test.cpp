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

}  // namespace
}  // namespace heed::study
