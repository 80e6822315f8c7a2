// Lines that SentencePiece gets in parts.
#include <gtest/gtest.h>

#include "temporary_folder.h"
#include "text/vocabulary.h"
#include "text/vocabulary_training.h"

namespace heed::text {
namespace {

const std::vector<std::string> kTwoSentences = {
    "Ein Mann fährt auf dem Fahrrad durch die Straße.",
    "Zwei Hunde spielen im Schnee, während Kinder grüßen.",
};

class LongLines : public testing::TestWithParam<const char*> {
 protected:
  Vocabulary vocabulary() const {
    const TemporaryFolder folder;
    std::string text;
    for (int i = 0; i < 3; ++i)
      for (const std::string& sentence : kTwoSentences) text += sentence + "\n";
    // Words in company of others, so that there are pieces to choose from.
    for (const std::string a : {"Mann", "fährt", "Fahrrad", "Schnee"})
      for (const std::string b : {"Mann", "fährt", "Fahrrad", "Schnee"})
        text += a + b + " " + b + "\n";
    return train_vocabulary(
        {.files = {folder.write("text", text)}, .size = 50, .algorithm = GetParam()});
  }
};

TEST_P(LongLines, EncodesALineOfSeveralPartsAsItsWords) {
  const Vocabulary vocabulary = this->vocabulary();
  const auto once = vocabulary.encode(kTwoSentences[0]);
  const auto names = vocabulary.spell(kTwoSentences[0]);
  std::string line;
  std::vector<int32_t> ids;
  std::vector<std::string> spelled;
  while (line.size() < 3 * kPartOfLine) {
    line += (line.empty() ? "" : " ") + kTwoSentences[0];
    ids.insert(ids.end(), once.begin(), once.end());
    spelled.insert(spelled.end(), names.begin(), names.end());
  }
  EXPECT_EQ(vocabulary.encode(line), ids);
  EXPECT_EQ(vocabulary.spell(line), spelled);
  EXPECT_EQ(vocabulary.decode(vocabulary.sample(line, 0.3, 1)), line);
}

TEST_P(LongLines, CutsAWordThatIsLongerThanAPartAndLosesNoLetter) {
  const Vocabulary vocabulary = this->vocabulary();
  std::string word;
  while (word.size() < 3 * kPartOfLine) word += "grüßt";
  const auto ids = vocabulary.encode(word);
  EXPECT_EQ(vocabulary.spell(word).size(), ids.size());
  std::string text = vocabulary.decode(ids);
  EXPECT_LE(std::erase(text, ' '), 3);  // where a part begins
  EXPECT_EQ(text, word);
}

// SentencePiece alone takes minutes for such a line.
TEST_P(LongLines, EncodesTheLongestLineOfLettersThatItDoesNotKnow) {
  const Vocabulary vocabulary = this->vocabulary();
  std::string line;
  while (line.size() < (4 << 20)) line += "ξ";
  const auto ids = vocabulary.encode("ξ");
  EXPECT_EQ(vocabulary.encode(line), ids);
  EXPECT_TRUE(vocabulary.spell(line) == std::vector<std::string>({"\u2581", line}));
}

TEST_P(LongLines, EncodesOnePieceMoreThanIsAskedForAtTheMost) {
  const Vocabulary vocabulary = this->vocabulary();
  std::string line;
  while (line.size() < 2 * kPartOfLine) line += kTwoSentences[1] + " ";
  const auto ids = vocabulary.encode(line);
  const auto names = vocabulary.spell(line);
  const int64_t count = std::ssize(ids);
  for (const int64_t most : {int64_t{0}, int64_t{1}, int64_t{7}, count / 2, count - 1}) {
    EXPECT_EQ(vocabulary.encode(line, most),
              std::vector<int32_t>(ids.begin(), ids.begin() + most + 1));
    EXPECT_EQ(vocabulary.spell(line, most),
              std::vector<std::string>(names.begin(), names.begin() + most + 1));
  }
  EXPECT_EQ(vocabulary.encode(line, count), ids);
  EXPECT_EQ(vocabulary.encode(line, count + 3), ids);
}

INSTANTIATE_TEST_SUITE_P(Algorithms, LongLines, testing::Values("unigram", "bpe"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace heed::text
