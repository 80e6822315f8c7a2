// Minimum Bayes risk decoding: not the likeliest translation, but the one that is most like all
// that the model finds likely (Kumar and Byrne 2004; Eikema and Aziz 2020; Freitag et al. 2022).
#pragma once

#include <string>
#include <vector>

#include "decode/search/config.h"
#include "decode/search/search.h"

namespace heed::decode {

/// Returns the weight of each candidate; the weights add up to 1. Candidates that were drawn have
/// equal weights, because the likely ones are there more often; those of a search have weights by
/// their probabilities.
std::vector<double> weights_of(const std::vector<Hypothesis>& candidates, bool drawn);

/// Reduces `candidates` and their `texts` to the n_best by expected utility, each text once. The
/// expected utility is the weighted mean of a candidate's sentence chrF against all candidates; it
/// becomes the candidate's score. Between equal ones the earlier wins.
void choose_by_utility(std::vector<Hypothesis>& candidates, std::vector<std::string>& texts,
                       const DecodeConfig& config);

}  // namespace heed::decode
