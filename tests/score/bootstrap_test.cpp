#include "score/bootstrap.h"

#include <gtest/gtest.h>

namespace heed::score {
namespace {

using Lines = std::vector<std::string>;

/// So many lines, of which the first `wrong` have another word.
Lines lines(std::size_t count, std::size_t wrong) {
  Lines out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back("a b c d " + std::string(i < wrong ? "x" : "e") + " f");
  return out;
}

double randomisation(const Lines& one, const Lines& other) {
  const Lines reference = lines(one.size(), 0);
  return approximate_randomisation(bleu_statistics(one, reference),
                                   bleu_statistics(other, reference), 999, /*seed=*/1);
}

TEST(ApproximateRandomisation, OfEqualOutputsIsOne) {
  EXPECT_EQ(randomisation(lines(20, 5), lines(20, 5)), 1);
}

// Exchanging five of five wrong lines in one direction happens once in 2^5, and as often in the
// other one: 2/32.
TEST(ApproximateRandomisation, IsTheShareOfExchangesThatDifferAsMuch) {
  EXPECT_NEAR(randomisation(lines(20, 0), lines(20, 5)), 2.0 / 32, 0.02);
  EXPECT_LT(randomisation(lines(20, 0), lines(20, 15)), 0.01);
  EXPECT_DOUBLE_EQ(randomisation(lines(20, 5), lines(20, 0)),
                   randomisation(lines(20, 0), lines(20, 5)));
}

}  // namespace
}  // namespace heed::score
