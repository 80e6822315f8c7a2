#include "score/chrf.h"

#include <gtest/gtest.h>

#include <random>

#include "base/strings.h"
#include "base/subprocess.h"
#include "score/nasty_sentences.h"
#include "score/sacrebleu.h"
#include "temporary_folder.h"
#include "text/utf8.h"

namespace heed::score {
namespace {

using Lines = std::vector<std::string>;

TEST(Chrf, IsWhatPaperAndPencilGive) {
  // abd against abc: 2/3, 1/2 and 0/1 of orders 1, 2 and 3, both ways: their mean, 7/18.
  EXPECT_NEAR(sentence_chrf("abd", "abc"), 100.0 * 7 / 18, 1e-10);
  // abc against ab: precision (2/3 + 1/2) / 2 = 7/12, recall 1; the reference has no order 3.
  // 5 * 7/12 / (4 * 7/12 + 1) = 7/8.
  EXPECT_NEAR(sentence_chrf("abc", "ab"), 87.5, 1e-10);
  // The other way round: 5 * 7/12 / (4 + 7/12) = 7/11.
  EXPECT_NEAR(sentence_chrf("ab", "abc"), 100.0 * 7 / 11, 1e-10);
  // Matches are clipped: one of four, and recall 1 of 1.
  EXPECT_NEAR(sentence_chrf("aaaa", "a"), 100 * 5 * 0.25 / (4 * 0.25 + 1), 1e-10);
}

TEST(Chrf, CountsCharactersAndNoWhiteSpace) {
  EXPECT_NEAR(sentence_chrf("ä 漢", "ä漢"), 100, 1e-10);
  EXPECT_NEAR(sentence_chrf("a\u00a0b\u3000c\td ", "abcd"), 100, 1e-10);
  EXPECT_NEAR(sentence_chrf("äb", "äc"), 100 * 0.25, 1e-10);
}

TEST(Chrf, OfNothingIsZero) {
  EXPECT_EQ(sentence_chrf("", ""), 0);
  EXPECT_EQ(sentence_chrf("", "a"), 0);
  EXPECT_EQ(sentence_chrf("a", " "), 0);
  EXPECT_EQ(sentence_chrf("a", "b"), 0);
  EXPECT_TRUE(chrf_of_all({}).empty());
}

TEST(Chrf, OfAllIsThatOfEachPair) {
  Lines texts = nasty_hypotheses();
  texts.push_back(texts[0]);
  const std::vector<double> all = chrf_of_all(texts);
  ASSERT_EQ(all.size(), texts.size() * texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i)
    for (std::size_t j = 0; j < texts.size(); ++j)
      EXPECT_EQ(all[i * texts.size() + j], sentence_chrf(texts[i], texts[j])) << i << ' ' << j;
}

/// Few characters, so that n-grams meet again; of all lengths of UTF-8, with blanks.
std::string random_line(std::mt19937& random) {
  static const std::u32string kCharacters = U"aab eä.ßé漢字🙂\u0301 \u00a0";
  std::u32string line;
  const std::size_t letters = 2 + random() % (kCharacters.size() - 2);
  for (unsigned left = random() % 40; left > 0; --left) line += kCharacters[random() % letters];
  return text::encode_utf8(line);
}

Lines by_sacrebleu(const Lines& hypotheses, const Lines& references) {
  const TemporaryFolder folder;
  const auto result =
      subprocess::run({find_sacrebleu(), folder.write("references", join(references, "\n") + "\n"),
                       "-i", folder.write("hypotheses", join(hypotheses, "\n") + "\n"), "-m",
                       "chrf", "--sentence-level", "-w", "10", "-f", "text"});
  EXPECT_EQ(result.status, 0) << result.err;
  Lines scores;
  for (const std::string& line : split(result.out, '\n'))
    if (!line.empty()) scores.push_back(line.substr(line.rfind(' ') + 1));
  return scores;
}

TEST(Chrf, IsThatOfSacrebleuForRandomUnicode) {
  std::mt19937 random(5);
  Lines hypotheses = nasty_hypotheses(), references = nasty_references();
  while (hypotheses.size() < 2000) {
    hypotheses.push_back(random_line(random));
    references.push_back(random_line(random));
  }
  const Lines scores = by_sacrebleu(hypotheses, references);
  ASSERT_EQ(scores.size(), hypotheses.size());
  int above_zero = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double ours = sentence_chrf(hypotheses[i], references[i]);
    EXPECT_NEAR(ours, std::stod(scores[i]), 1e-9) << hypotheses[i] << "\n" << references[i];
    above_zero += ours > 0;
  }
  EXPECT_GT(above_zero, 1500);
}

}  // namespace
}  // namespace heed::score
