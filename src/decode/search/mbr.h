// Minimum Bayes risk decoding: not the likeliest translation, but the one that is most like all
// that the model finds likely (Kumar and Byrne 2004; Eikema and Aziz 2020; Freitag et al. 2022).
#pragma once

#include <string>
#include <vector>

#include "decode/search/config.h"
#include "decode/search/search.h"

namespace heed::decode {

/// How much each of the candidates counts, 1 together: draws the same, for the likely ones are
/// there more often; those of a search by their probabilities.
std::vector<double> weights_of(const std::vector<Hypothesis>& candidates, bool drawn);

/// Of `candidates` with their `texts` the n_best, each text once, by expected utility: the weighted
/// mean of their sentence chrF against all candidates, which becomes their score. Between equal
/// ones the earlier wins.
void choose_by_utility(std::vector<Hypothesis>& candidates, std::vector<std::string>& texts,
                       const DecodeConfig& config);

}  // namespace heed::decode
