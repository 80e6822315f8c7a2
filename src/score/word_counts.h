// Words that are said too often and words that are missing: what coverage is for (Tu et al. 2016).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace heed::score {

struct WordCounts {
  int64_t reference = 0;  // words of the references
  int64_t repeated = 0;   // that a translation has twice or more, and more often than its reference
  int64_t dropped = 0;    // of the references that are missing, or too few, in the translations

  double repeated_share() const;  // of the references' words
  double dropped_share() const;
};

/// Line by line; words as BLEU counts them. Throws UserError where the two differ in lines.
WordCounts word_counts(std::span<const std::string> hypotheses,
                       std::span<const std::string> references, std::string_view tokenizer = "13a",
                       bool lowercase = false);

}  // namespace heed::score
