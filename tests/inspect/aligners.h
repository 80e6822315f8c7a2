// Random models as word aligners, and what is logged of their lines.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "decode/random_models.h"
#include "inspect/aligner.h"

namespace heed::inspect {

/// One of decode::many_models().
inline Aligner random_aligner(std::size_t which, decode::DecodeConfig config = {},
                              uint64_t seed = 5) {
  const model::ModelConfig model = decode::many_models()[which];
  return {decode::make_translator(decode::random_model(model, seed), std::move(config)), model,
          "m"};
}

/// An aligner that chooses by usual_choice().
inline AlignerByRule by_usual_rule(Aligner aligner) {
  const LinkRule rule{usual_choice(aligner.traits())};
  return {std::move(aligner), rule};
}

inline const text::Pairs kThreePairs{{"mira tolo sena", "kupo rel", "vadi mira"},
                                     {"rel vadi tolo", "sena", "kupo tolo"}};

/// Word j of the target and word n - 1 - j of the source are linked, as far as both are there.
inline std::vector<study::GoldAlignment> reversed_links(const text::Pairs& pairs) {
  std::vector<study::GoldAlignment> gold;
  for (std::size_t i = 0; i < pairs.source.size(); ++i) {
    const std::size_t source = split_words(pairs.source[i]).size(),
                      target = split_words(pairs.target[i]).size();
    study::Alignment links;
    for (std::size_t j = 0; j < target && j < source; ++j) links.insert({source - 1 - j, j});
    gold.push_back({links, links});
  }
  return gold;
}

/// A line with so many words, each of one piece at least.
inline std::string long_line(int words) {
  std::string line;
  for (int i = 0; i < words; ++i) line += "mira ";
  return line;
}

inline std::string logged(const std::function<void()>& work) {
  testing::internal::CaptureStderr();
  work();
  return testing::internal::GetCapturedStderr();
}

}  // namespace heed::inspect
