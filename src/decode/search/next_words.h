// The likeliest next words of a translation that somebody types.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "decode/search/line_translator.h"

namespace heed::decode {

struct NextWord {
  std::string word;        // the text that it adds, without blanks around it
  std::string prefix;      // the text with it at the end, for LineTranslator::translate()
  double probability = 0;  // of all its pieces, given the prefix
  bool continues = false;  // it is more of the prefix's last word
  bool ends = false;       // no word: the end of the translation
};

/// Returns at most `count` next words, likeliest first, each once. They begin with the `count`
/// likeliest next pieces. Each is continued by its likeliest next piece until another word begins
/// or the translation ends. Returns none for a line without pieces. Throws UserError where the
/// prefix is longer than the models can take.
std::vector<NextWord> next_words(const LineTranslator& translator, const std::string& line,
                                 const std::string& prefix, int64_t count);

/// Returns log P(target | source).
double log_probability_of(const LineTranslator& translator, const std::string& source,
                          const std::string& target);

}  // namespace heed::decode
