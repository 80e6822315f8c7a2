#include "decode/search/text_finder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace heed::decode {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Text = std::tuple<std::size_t, std::size_t, std::size_t>;  // begin, end, number

std::vector<Text> all_in(const std::u32string& line, const std::vector<std::u32string>& texts) {
  std::vector<Text> out;
  TextFinder(texts).find(line, [&](std::size_t begin, std::size_t end, std::size_t number) {
    out.emplace_back(begin, end, number);
    return true;
  });
  return out;
}

TEST(TextFinder, FindsAllTextsFromTheLastPositionOnTheLongestFirst) {
  EXPECT_THAT(
      all_in(U"abcab", {U"a", U"abc", U"bc", U"cab", U"abd"}),
      ElementsAre(Text{3, 4, 0}, Text{2, 5, 3}, Text{1, 3, 2}, Text{0, 3, 1}, Text{0, 1, 0}));
  EXPECT_THAT(all_in(U"abc", {}), IsEmpty());
  EXPECT_THAT(all_in(U"", {U"a"}), IsEmpty());
  EXPECT_THAT(all_in(U"a", {U"", U"b"}), IsEmpty());
}

TEST(TextFinder, FindsWhatASearchForEachTextFinds) {
  std::mt19937 draw(7);
  const auto drawn = [&](std::size_t most) {
    std::u32string text(1 + draw() % most, U'a');
    for (char32_t& c : text) c = U'a' + draw() % 2;
    return text;
  };
  for (int round = 0; round < 50; ++round) {
    std::vector<std::u32string> texts;
    for (int i = 0; i < 12; ++i)
      if (auto text = drawn(6); std::ranges::count(texts, text) == 0) texts.push_back(text);
    const std::u32string line = drawn(30);
    std::vector<Text> wanted;
    for (std::size_t begin = line.size(); begin-- > 0;)
      for (std::size_t size = 6; size > 0; --size)
        for (std::size_t i = 0; i < texts.size(); ++i)
          if (texts[i].size() == size && line.compare(begin, size, texts[i]) == 0)
            wanted.emplace_back(begin, begin + size, i);
    EXPECT_EQ(all_in(line, texts), wanted);
  }
}

TEST(TextFinder, EndsAtAPositionWhereNoShorterTextIsWanted) {
  std::vector<std::size_t> numbers;
  const std::vector<std::u32string> texts = {U"a", U"ab", U"b"};
  TextFinder(texts).find(U"ab", [&](std::size_t, std::size_t, std::size_t number) {
    numbers.push_back(number);
    return false;
  });
  EXPECT_THAT(numbers, ElementsAre(2, 1));
}

TEST(TextFinder, TakesAFewStepsForEachCharacterHoweverLongTheTextsAre) {
  const std::size_t length = 3000;
  std::u32string almost(length, U'a'), line(length, U'a');
  almost.front() = U'b';  // the line has all of it but one character, at each of its positions
  std::vector<std::u32string> begun;
  for (std::size_t i = 1; i <= 50; ++i) begun.push_back(std::u32string(i, U'a') + U'c');
  const auto steps = [&](const std::vector<std::u32string>& texts) {
    return TextFinder(texts).find(line, [](auto...) { return true; });
  };
  EXPECT_LE(steps({almost}), 2 * length);
  EXPECT_LE(steps({line}), 2 * length + 1);
  EXPECT_LE(steps(begun), 2 * length);
}

}  // namespace
}  // namespace heed::decode
