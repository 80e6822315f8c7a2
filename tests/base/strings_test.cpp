#include "base/strings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace heed {
namespace {

using Parts = std::vector<std::string>;

TEST(Strings, SplitKeepsEmptyParts) {
  EXPECT_EQ(split("a,,b,", ','), (Parts{"a", "", "b", ""}));
  EXPECT_EQ(split("", ','), Parts{""});
}

TEST(Strings, SplitWordsDoesNot) {
  EXPECT_EQ(split_words("  one\ttwo \n three "), (Parts{"one", "two", "three"}));
  EXPECT_EQ(split_words(" \t"), Parts{});
}

TEST(Strings, TrimAndJoin) {
  EXPECT_EQ(trim(" \ta b\r\n"), "a b");
  EXPECT_EQ(trim("  "), "");
  EXPECT_EQ(join({"a", "b", "c"}, ", "), "a, b, c");
  EXPECT_EQ(join({}, ", "), "");
}

TEST(Strings, OneThingHasNoS) {
  EXPECT_EQ(counted(0, "thread"), "0 threads");
  EXPECT_EQ(counted(1, "thread"), "1 thread");
  EXPECT_EQ(counted(2, "thread"), "2 threads");
}

TEST(Strings, ANumberIsTheWholeText) {
  EXPECT_EQ(exact_number<int64_t>("5"), 5);
  EXPECT_EQ(exact_number<int64_t>("-5"), -5);
  EXPECT_EQ(exact_number<int64_t>("007"), 7);
  for (const char* none : {"", "-", "+5", " 5", "5 ", "5x", "x5", "5.0", "0x5", "--5", "5\n"})
    EXPECT_EQ(exact_number<int64_t>(none), std::nullopt) << none;
  EXPECT_EQ(exact_number<int64_t>(std::string("5\0", 2)), std::nullopt);
  EXPECT_EQ(exact_number<std::size_t>("-5"), std::nullopt);
}

TEST(Strings, ANumberThatDoesNotFitIsNone) {
  EXPECT_EQ(exact_number<int64_t>("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(exact_number<int64_t>("9223372036854775808"), std::nullopt);
  EXPECT_EQ(exact_number<int64_t>("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(exact_number<int64_t>("-9223372036854775809"), std::nullopt);
  EXPECT_EQ(exact_number<uint64_t>("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(exact_number<int>("99999999999"), std::nullopt);
  EXPECT_EQ(exact_number<double>("1e999"), std::nullopt);
}

TEST(Strings, ADoubleMayHaveAnExponentAndNeedNotBeFinite) {
  EXPECT_EQ(exact_number<double>("-0.25"), -0.25);
  EXPECT_EQ(exact_number<double>("3"), 3);
  EXPECT_EQ(exact_number<double>(".5e-1"), 0.05);
  EXPECT_EQ(exact_number<double>("-inf"), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(exact_number<double>("nan").value_or(0)));
  for (const char* none : {"", ".", "+1", "1e", "1.5.", "1,5", "0x1p3", "1f"})
    EXPECT_EQ(exact_number<double>(none), std::nullopt) << none;
}

TEST(Strings, CommasStandBetweenThreeDigits) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(1234567), "1,234,567");
  EXPECT_EQ(with_commas(-999), "-999");
  EXPECT_EQ(with_commas(-1000), "-1,000");
}

TEST(Strings, CountsHaveThreeDigits) {
  EXPECT_EQ(human_count(0), "0");
  EXPECT_EQ(human_count(950), "950");
  EXPECT_EQ(human_count(7.25), "7.25");
  EXPECT_EQ(human_count(999.7), "1.00k");
  EXPECT_EQ(human_count(41234), "41.2k");
  EXPECT_EQ(human_count(3'050'000), "3.05M");
  EXPECT_EQ(human_count(999'600), "1.00M");
  EXPECT_EQ(human_count(-41234), "-41.2k");
}

TEST(Strings, DurationsReadLikeAClock) {
  EXPECT_EQ(human_duration(0.25), "0.2s");
  EXPECT_EQ(human_duration(59.4), "59s");
  EXPECT_EQ(human_duration(59.6), "1:00");
  EXPECT_EQ(human_duration(65), "1:05");
  EXPECT_EQ(human_duration(3723), "1:02:03");
  EXPECT_EQ(human_duration(183845), "2d 03:04:05");
  EXPECT_EQ(human_duration(-1), "?");
}

TEST(Strings, BytesHaveBinaryUnits) {
  EXPECT_EQ(human_bytes(812), "812 B");
  EXPECT_EQ(human_bytes(1536), "1.5 KiB");
  EXPECT_EQ(human_bytes(1024ULL * 1024 - 1), "1.0 MiB");
  EXPECT_EQ(human_bytes(3ULL << 30), "3.0 GiB");
}

TEST(Strings, QuotedTextIsOneShortPrintableLine) {
  EXPECT_EQ(one_line("a\nb\tc\x01"), "a\\nb\\tc\\x01");
  EXPECT_EQ(one_line("Grüße", 3), "Gr...");  // ü is two bytes
  EXPECT_EQ(one_line("Grüße", 4), "Grü...");
  EXPECT_EQ(one_line("Grüße", 7), "Grüße");
}

TEST(Strings, OnlyLettersOfAsciiAreLowered) {
  EXPECT_EQ(ascii_lower("[AZ] az-É 7\xFF"), "[az] az-É 7\xFF");
  EXPECT_EQ(ascii_lower(""), "");
}

TEST(Strings, AShellReadsAQuotedWordBack) {
  EXPECT_EQ(shell_word("runs/de-en_1.5"), "runs/de-en_1.5");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("my run"), "'my run'");
  EXPECT_EQ(shell_word("$(x)"), "'$(x)'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("~/é"), "'~/é'");
}

TEST(Strings, EditDistanceCountsASwapOnce) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("heads", "haeds"), 1U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("same", "same"), 0U);
}

TEST(Strings, NearestSpellingRefusesStrangers) {
  EXPECT_EQ(nearest_spelling("trian.de", {"valid.de", "train.de"}), "train.de");
  EXPECT_EQ(nearest_spelling("xyz", {"valid.de", "train.de"}), "");
}

TEST(Strings, AShellTakesAQuotedPathForNoOption) {
  EXPECT_EQ(shell_path("runs/a,b"), "runs/a,b");
  EXPECT_EQ(shell_path("-dash"), "./-dash");
  EXPECT_EQ(shell_path("-a b"), "'./-a b'");
  EXPECT_EQ(shell_path("it's"), "'it'\\''s'");
}

TEST(Base64, IsThatOfTheStandard) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64(std::string_view("\xff\xfe\0\xfb", 4)), "//4A+w==");
}

}  // namespace
}  // namespace heed
