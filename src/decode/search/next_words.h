// What a translation could go on with: the likeliest next words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "decode/search/line_translator.h"

namespace heed::decode {

struct NextWord {
  std::string word;        // what it adds to the text, without blanks around it
  std::string prefix;      // the text with it at the end, for LineTranslator::translate()
  double probability = 0;  // of all its pieces, given the prefix
  bool continues = false;  // it is more of the prefix's last word
  bool ends = false;       // no word: the end of the translation
};

/// At most `count` of them, likeliest first, each once. They begin with the `count` likeliest next
/// pieces. Each goes on with the likeliest one until a word begins or the translation ends. None
/// for a line without pieces. Throws UserError where the prefix is longer than the models let it
/// be.
std::vector<NextWord> next_words(const LineTranslator& translator, const std::string& line,
                                 const std::string& prefix, int64_t count);

/// log P(target | source).
double log_probability_of(const LineTranslator& translator, const std::string& source,
                          const std::string& target);

}  // namespace heed::decode
