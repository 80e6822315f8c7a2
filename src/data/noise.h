// Noise of training text (data.noise): case, typing mistakes, blanks and final punctuation.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/config.h"

namespace heed::data {

/// Whether this noise changes anything.
bool is_noisy(const NoiseConfig& noise);

struct NoisyPair {
  std::string source, target;
  /// For each word of the source, separated by blanks: the words [first, second) of the noisy
  /// source that have its letters.
  std::vector<std::pair<int32_t, int32_t>> words;
};

/// Whether a word stays as it is, because it is a user-defined symbol.
using IsSymbol = std::function<bool(const std::string& word)>;

/// The pair with noise, which `seed` alone decides. Case changes both sides, all else the source
/// alone. A word with a digit gets no typing mistake, for a translation copies it. A line that has
/// words keeps some.
NoisyPair with_noise(const NoiseConfig& noise, std::string_view source, std::string_view target,
                     uint64_t seed, const IsSymbol& is_symbol);

}  // namespace heed::data
