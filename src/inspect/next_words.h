// What a translation could go on with: the likeliest next words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "decode/translator.h"

namespace heed::inspect {

struct NextWord {
  std::string word;        // what it adds to the text, without blanks around it
  std::string prefix;      // the text with it at the end, for Translator::translate()
  double probability = 0;  // of all its pieces, given the prefix
  bool continues = false;  // it is more of the prefix's last word
  bool ends = false;       // no word: the end of the translation
};

/// At most `count` of them, likeliest first, each once. They begin with the `count` likeliest next
/// pieces. Each goes on with the likeliest one until a word begins or the translation ends. Empty
/// for a line without pieces. Throws UserError where the prefix is longer than the model can take.
std::vector<NextWord> next_words(decode::Translator& translator, const std::string& line,
                                 const std::string& prefix, int64_t count);

}  // namespace heed::inspect
