#include "base/precision_times.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(PrecisionTimes, FavourBf16WhereItIsClearlyFaster) {
  // Two hundred updates on a processor with AVX512-BF16 alone, and on one with AMX.
  EXPECT_FALSE((PrecisionTimes{.fp32 = 14.0, .bf16 = 20.3}.favour_bf16()));
  EXPECT_TRUE((PrecisionTimes{.fp32 = 14.0, .bf16 = 7.1}.favour_bf16()));
  // Nearly equal times are a tie.
  EXPECT_FALSE((PrecisionTimes{.fp32 = 1, .bf16 = 1}.favour_bf16()));
  EXPECT_FALSE((PrecisionTimes{.fp32 = 1, .bf16 = 0.96}.favour_bf16()));
  EXPECT_TRUE((PrecisionTimes{.fp32 = 1, .bf16 = 0.94}.favour_bf16()));
  EXPECT_FALSE(PrecisionTimes{}.favour_bf16());
  EXPECT_FALSE((PrecisionTimes{.fp32 = 1}.favour_bf16()));  // not measured
}

TEST(PrecisionTimes, FavourInt8WhereItIsClearlyFasterThanBothOthers) {
  EXPECT_TRUE((PrecisionTimes{.fp32 = 1, .bf16 = 2, .int8 = 0.94}.favour_int8()));
  EXPECT_FALSE((PrecisionTimes{.fp32 = 1, .bf16 = 2, .int8 = 0.96}.favour_int8()));
  // 0.45 is nine tenths of 0.5, and 0.48 is more than 0.95 of it.
  EXPECT_TRUE((PrecisionTimes{.fp32 = 1, .bf16 = 0.5, .int8 = 0.45}.favour_int8()));
  EXPECT_FALSE((PrecisionTimes{.fp32 = 1, .bf16 = 0.5, .int8 = 0.48}.favour_int8()));
  // bf16 that is no clear gain is not what int8 has to beat.
  EXPECT_TRUE((PrecisionTimes{.fp32 = 1, .bf16 = 0.96, .int8 = 0.94}.favour_int8()));
  EXPECT_TRUE((PrecisionTimes{.fp32 = 1, .int8 = 0.5}.favour_int8()));
  EXPECT_FALSE((PrecisionTimes{.fp32 = 1, .bf16 = 0.5}.favour_int8()));  // not measured
  EXPECT_FALSE(PrecisionTimes{}.favour_int8());
}

TEST(PrecisionTimes, AreToldInMilliseconds) {
  EXPECT_EQ((PrecisionTimes{.fp32 = 0.01234, .bf16 = 0.008}.text()),
            "12.3 ms in fp32 and 8.0 ms in bf16");
  EXPECT_EQ((PrecisionTimes{.fp32 = 0.01234, .bf16 = 0.008, .int8 = 0.0041}.text()),
            "12.3 ms in fp32, 8.0 ms in bf16 and 4.1 ms in int8");
  EXPECT_EQ((PrecisionTimes{.fp32 = 0.01234, .int8 = 0.0041}.text()),
            "12.3 ms in fp32 and 4.1 ms in int8");
  EXPECT_EQ((PrecisionTimes{.fp32 = 0.01234}.text()), "12.3 ms in fp32");
}

std::vector<double> seconds_of(const std::vector<MedianTime>& times) {
  std::vector<double> seconds;
  for (const MedianTime& time : times) seconds.push_back(time.seconds);
  return seconds;
}

// The first run has the parts {9 2 3 4 8} and {5 8 6 1 7}: 4 + 6. The second has {1 1 2 9 1}: 1.
TEST(MedianTimes, AreSumsOfEachPartsMedianOverRuns) {
  const std::vector<std::vector<double>> of_first = {{9, 5}, {2, 8}, {3, 6}, {4, 1}, {8, 7}};
  const std::vector<double> of_second = {1, 1, 2, 9, 1};
  std::size_t first = 0, second = 0;
  std::string order;
  const auto times = median_times({[&] {
                                     order += 'a';
                                     return of_first.at(first++);
                                   },
                                   [&] {
                                     order += 'b';
                                     return std::vector{of_second.at(second++)};
                                   }},
                                  /*enough=*/0);
  EXPECT_EQ(seconds_of(times), (std::vector<double>{10, 1}));
  EXPECT_EQ(order, "ababababab");
}

// The first run's calls take 3 + 5, 1 + 1, 2 + 2, 9 + 9 and 2 + 8: in order 2 4 8 10 18, of which
// the middle half is from 4 to 10. Those of the second are all the same.
TEST(MedianTimes, SaySomethingOfHowMuchTheCallsDiffer) {
  const std::vector<std::vector<double>> of_first = {{3, 5}, {1, 1}, {2, 2}, {9, 9}, {2, 8}};
  std::size_t first = 0;
  const auto times = median_times(
      {[&] { return of_first.at(first++); }, [] { return std::vector{7.0}; }}, /*enough=*/0);
  EXPECT_EQ(times, (std::vector<MedianTime>{{.seconds = 7, .spread = 0.75}, {.seconds = 7}}));
}

// The products of a small part of an update take a few milliseconds: one interruption among five
// calls must not choose the other format.
TEST(MedianTimes, OfShortPartsAreMeasuredMoreOften) {
  int calls = 0;
  const auto run = [&](double seconds) {
    const bool is_disturbed = ++calls <= 10;
    return std::vector{is_disturbed ? 1.2 : seconds};
  };
  const auto times =
      median_times({[&] { return run(1.0); }, [&] { return run(0.9); }}, /*enough=*/3600);
  EXPECT_EQ(seconds_of(times), (std::vector<double>{1.0, 0.9}));
  EXPECT_EQ(calls, 2 * 24);
}

}  // namespace
}  // namespace heed
