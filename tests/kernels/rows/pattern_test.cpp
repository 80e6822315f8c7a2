// All that a Pattern says agrees with Pattern::sees().
#include "kernels/rows/pattern.h"

#include <gtest/gtest.h>

#include <vector>

namespace heed::kernels {
namespace {

constexpr int64_t kLength = 23;

std::vector<Pattern> patterns() {
  std::vector<Pattern> all;
  for (const int64_t window : {0, 1, 3, 40})
    for (const int64_t global : {0, 2, 30})
      for (const int64_t stride : {0, 1, 5, 40})
        for (const bool causal : {false, true}) all.push_back({window, global, stride, causal});
  return all;
}

TEST(Pattern, SeesWhatItsDefinitionSays) {
  const Pattern pattern{.window = 2, .global = 1, .stride = 5};
  EXPECT_TRUE(pattern.sees(6, 8));
  EXPECT_FALSE(pattern.sees(6, 9));
  EXPECT_TRUE(pattern.sees(6, 0));   // one of the first
  EXPECT_TRUE(pattern.sees(0, 17));  // which see all
  EXPECT_TRUE(pattern.sees(4, 14));
  EXPECT_FALSE((Pattern{.window = 2, .causal = true}.sees(6, 7)));
  EXPECT_TRUE(Pattern{}.sees(0, 22));
}

TEST(Pattern, ARangeHoldsAllThatIsSeenAndOfABandNothingElse) {
  for (const Pattern& pattern : patterns())
    for (int64_t first = 0; first < kLength; ++first)
      for (const int64_t count : {1, 4}) {
        const KeyRange range = pattern.range(first, count, kLength);
        for (int64_t key = 0; key < kLength; ++key) {
          bool seen = false;
          for (int64_t query = first; query < first + count; ++query)
            seen |= pattern.sees(query, key);
          const bool inside = key >= range.begin && key < range.end;
          EXPECT_TRUE(inside || !seen);
          EXPECT_TRUE(seen || !inside || pattern.is_sparse());
        }
      }
}

TEST(Pattern, TheGapsOfASparseOneAreWhatItDoesNotSee) {
  for (const Pattern& pattern : patterns()) {
    if (!pattern.is_sparse()) continue;
    for (int64_t query = 0; query < kLength; ++query) {
      const int64_t end = pattern.range(query, kLength).end;
      std::vector<bool> seen(static_cast<std::size_t>(end), true);
      pattern.each_gap(query, end, [&](int64_t from, int64_t to) {
        for (int64_t key = from; key < to; ++key) seen[static_cast<std::size_t>(key)] = false;
      });
      for (int64_t key = 0; key < end; ++key)
        EXPECT_EQ(seen[static_cast<std::size_t>(key)], pattern.sees(query, key))
            << query << " " << key;
    }
  }
}

}  // namespace
}  // namespace heed::kernels
