// The likeliest next words of a translation by models of LibTorch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "decode/search/next_words.h"
#include "decode/translator.h"

namespace heed::inspect {

using decode::NextWord;

/// As decode::next_words(), by all models of the translator. Empty for a line without pieces.
std::vector<NextWord> next_words(decode::Translator& translator, const std::string& line,
                                 const std::string& prefix, int64_t count);

}  // namespace heed::inspect
