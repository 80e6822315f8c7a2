#include "data/language_check.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heed::data {
namespace {

TEST(CharacterModel, InterpolatesByHowManyKindsFollow) {
  CharacterModel model;
  model.learn("ab");
  // The probability by one character is (1 + 3 / 10000) / (3 + 3), by two and by three characters
  // (1 + that by one less) / 2.
  const double one = 1.0003 / 6, two = (1 + one) / 2, three = (1 + two) / 2;
  EXPECT_NEAR(model.nats("AB"), -std::log(three), 1e-12);
  EXPECT_EQ(model.nats(" "), 0);
  // z was never seen: after the edge nothing of it is left but the share of the unseen, twice
  // halved, and after z itself only single characters count.
  EXPECT_NEAR(model.nats("zz"), -(std::log(0.00005 / 4) + std::log(0.00005) + std::log(one)) / 3,
              1e-12);
}

TEST(LanguageCheck, FindsSidesOfTheOtherLanguageAndOfNone) {
  const std::string german[] = {"der Hund läuft über die Straße", "zwei Männer sitzen im Garten",
                                "eine Frau liest ein Buch", "die Kinder spielen im Wasser",
                                "ein Mädchen trägt einen Hut"};
  const std::string english[] = {"the dog runs across the street", "two men sit in the garden",
                                 "a woman is reading a book", "the children play in the water",
                                 "a girl is wearing a hat"};
  LanguageCheck check;
  for (int i = 0; i < 20; ++i)
    for (int k = 0; k < 5; ++k) check.learn(german[k], english[(k + i) % 5]);
  for (int k = 0; k < 5; ++k) EXPECT_FALSE(check.is_odd(german[k], english[k]));
  EXPECT_TRUE(check.is_odd(english[0], english[1]));
  EXPECT_TRUE(check.is_odd(german[0], german[1]));
  EXPECT_TRUE(check.is_odd("kaksi miestä istuu puutarhassa", english[1]));
  EXPECT_TRUE(check.is_odd(german[1], "xkcd qwfp zxcv jjjj vvvv"));
  EXPECT_FALSE(check.is_odd("the dog", english[1]));  // too short
}

TEST(LanguageCheck, TellsNothingOfFilesOfOneLanguage) {
  LanguageCheck check;
  const std::string lines[] = {"the dog runs across the street", "two men sit in the garden",
                               "a woman is reading a book"};
  for (int i = 0; i < 30; ++i) check.learn(lines[i % 3], lines[(i + 1) % 3]);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(check.is_odd(lines[i], lines[(i + 1) % 3]));
}

}  // namespace
}  // namespace heed::data
