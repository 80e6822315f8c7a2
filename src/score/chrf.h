// chrF2 of sentences, as sacrebleu defines it (Popović 2015; character n-grams of order 1..6, beta
// 2, white space removed, no word n-grams). Scores that heed reports come from sacrebleu itself;
// this is for what compares many sentences with each other.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed::score {

/// Returns chrF of one sentence, 0..100.
double sentence_chrf(std::string_view hypothesis, std::string_view reference);

/// Returns chrF of each text against each: [texts, texts], row-major, a row for each hypothesis.
/// The n-grams of a text are counted once.
std::vector<double> chrf_of_all(std::span<const std::string> texts);

}  // namespace heed::score
