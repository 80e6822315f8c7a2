#include "text/bpe_codes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "message.h"

namespace heed::text {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Cut = std::vector<std::string>;

// The expected pieces were compared with subword-nmt 0.3.8 (and those of counted codes with fastBPE
// 0.1.0); tests/twins/test_pieces.py does so again with thousands of lines.

Cut cut(const std::string& codes, const std::string& word, const BpeCodes::Knows& knows = {}) {
  return BpeCodes(codes, "codes").cut(word, knows);
}

TEST(BpeCodes, MergesInTheOrderOfTheFile) {
  const std::string codes = "#version: 0.2\nl o\nlo w</w>\ne r</w>\nn e\n";
  EXPECT_EQ(cut(codes, "low"), (Cut{"low"}));
  EXPECT_EQ(cut(codes, "lower"), (Cut{"lo", "w", "er"}));  // w is not the last letter here
  EXPECT_EQ(cut(codes, "newer"), (Cut{"ne", "w", "er"}));
  EXPECT_EQ(cut(codes, "xyz"), (Cut{"x", "y", "z"}));
  EXPECT_EQ(cut(codes, ""), Cut());
}

TEST(BpeCodes, ALetterAloneStaysWhole) {
  EXPECT_EQ(cut("#version: 0.2\na </w>\n", "a"), (Cut{"a"}));
  EXPECT_EQ(cut("#version: 0.2\nl o\n", "й"), (Cut{"й"}));
  // A letter with a mark after it is two code points.
  EXPECT_EQ(cut("#version: 0.2\nl o\n", "e\u0301"), (Cut{"e", "\u0301"}));
}

TEST(BpeCodes, EndOfAWordIsAPieceInOlderCodes) {
  const std::string codes = "e r\nl o\ner </w>\nlo w\n";
  EXPECT_EQ(cut(codes, "lower"), (Cut{"low", "er"}));
  EXPECT_EQ(cut(codes, "low"), (Cut{"low"}));  // without "w </w>", and still one piece
  EXPECT_EQ(cut("#version: 0.1\ne r\nl o\ner </w>\nlo w\n", "lower"), (Cut{"low", "er"}));
  // The same merges in the newer version never see the last letter without the end.
  EXPECT_EQ(cut("#version: 0.2\ne r\nl o\ner </w>\nlo w\n", "low"), (Cut{"lo", "w"}));
}

TEST(BpeCodes, CountsOfFastBpeMakeNoDifference) {
  const std::string codes = "l o 20\nlo w</w> 12\ne r</w> 7\n";
  EXPECT_EQ(cut(codes, "low"), (Cut{"low"}));
  EXPECT_EQ(cut(codes, "slower"), (Cut{"s", "lo", "w", "er"}));
}

TEST(BpeCodes, OverlappingPairsMergeFromTheLeft) {
  const std::string codes = "#version: 0.2\na a\naa aa\n";
  EXPECT_EQ(cut(codes, "aaab"), (Cut{"aa", "a", "b"}));
  EXPECT_EQ(cut(codes, "aaaab"), (Cut{"aaaa", "b"}));
  EXPECT_EQ(cut(codes, "aaaaaab"), (Cut{"aaaa", "aa", "b"}));
}

TEST(BpeCodes, AMergeIsDoneEverywhereBeforeAnother) {
  // "a b" makes "ab" twice before "ab c" is looked for, although that line comes first.
  const std::string codes = "#version: 0.2\nab c\na b\nab ab\n";
  EXPECT_EQ(cut(codes, "ababcx"), (Cut{"ab", "abc", "x"}));
}

TEST(BpeCodes, TheFirstOfTwoEqualLinesCounts) {
  EXPECT_EQ(cut("#version: 0.2\na b\nb c\na b\n", "abcx"), (Cut{"ab", "c", "x"}));
  EXPECT_EQ(cut("#version: 0.2\nb c\na b\n", "abcx"), (Cut{"a", "bc", "x"}));
}

TEST(BpeCodes, UnknownPiecesAreTakenApart) {
  const std::string codes = "#version: 0.2\nl o\nlo w\ne r</w>\nlow er</w>\n";
  const auto with = [](std::set<std::string> inside, std::set<std::string> last) {
    return [inside, last](std::string_view piece, bool is_last) {
      return (is_last ? last : inside).contains(std::string(piece));
    };
  };
  EXPECT_EQ(cut(codes, "lower"), (Cut{"lower"}));
  EXPECT_EQ(cut(codes, "lower", with({}, {"lower"})), (Cut{"lower"}));
  EXPECT_EQ(cut(codes, "lower", with({"low"}, {"er"})), (Cut{"low", "er"}));
  EXPECT_EQ(cut(codes, "lower", with({"lo", "w"}, {"er"})), (Cut{"lo", "w", "er"}));
  // A piece that ends the word is no piece inside: nothing helps, and letters are left.
  EXPECT_EQ(cut(codes, "lower", with({"lower", "er"}, {"low"})), (Cut{"l", "o", "w", "e", "r"}));
}

TEST(BpeCodes, PiecesAreTheWord) {
  const BpeCodes codes("#version: 0.2\na b\nab a\n漢 字\nb a</w>\n", "codes");
  std::string word;
  for (int length = 1; length < 40; ++length) {
    word += length % 7 == 0 ? "漢字" : length % 3 == 0 ? "b" : "a";
    std::string all;
    for (const std::string& piece : codes.cut(word)) all += piece;
    EXPECT_EQ(all, word);
  }
}

TEST(BpeCodes, AVeryLongWordTakesNoSquareOfItsLength) {
  const std::string word(200'000, 'a');
  EXPECT_EQ(cut("#version: 0.2\na a\n", word).size(), 100'001U);  // the last letter is another one
}

TEST(BpeCodes, MistakesNameTheLine) {
  const auto message = [](const std::string& codes) {
    return message_of<UserError>([&] { BpeCodes(codes, "my.codes"); });
  };
  EXPECT_THAT(message(""), HasSubstr("my.codes: is empty"));
  EXPECT_THAT(message("#version: 0.3\na b\n"), HasSubstr("my.codes:1: codes of version '0.3'"));
  EXPECT_THAT(message("#version: 0.2\na b\nc\n"), HasSubstr("my.codes:3: 'c' is no merge"));
  EXPECT_THAT(message("a b\nc d e\n"), HasSubstr("my.codes:2: 'c d e' is no merge"));
  EXPECT_THAT(message("a b 3\nc d\n"), HasSubstr("my.codes:2: 'c d' is no merge"));
  EXPECT_THAT(message("#version: 0.2\na \xFF\n"), HasSubstr("no UTF-8"));
  EXPECT_EQ(message("#version: 0.2.0.0\na b\n"), "(nothing thrown)");
}

}  // namespace
}  // namespace heed::text
