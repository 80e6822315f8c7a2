// chrF2 of sentences, as sacrebleu defines it (Popović 2015; character n-grams of order 1..6, beta
// 2, white space removed, no word n-grams). Scores that heed reports come from sacrebleu itself;
// this is for what compares many sentences with each other.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed::score {

inline constexpr int kChrfOrder = 6;

/// What chrF needs to know of a sentence pair: n-grams of order 1..6.
struct ChrfStatistics {
  std::array<int64_t, kChrfOrder> hypothesis{}, reference{}, matches{};
};

/// 0..100: F2 of the mean precision and the mean recall over the orders that both sides have.
double chrf(const ChrfStatistics& statistics);

double sentence_chrf(std::string_view hypothesis, std::string_view reference);

/// Each text against each: [texts, texts], row-major, a row for each hypothesis. The n-grams of a
/// text are counted once.
std::vector<double> chrf_of_all(std::span<const std::string> texts);

}  // namespace heed::score
