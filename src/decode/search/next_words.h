// What a translation could go on with: the likeliest next words.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "text/vocabulary.h"

namespace heed::decode {

struct NextWord {
  std::string word;        // what it adds to the text, without blanks around it
  std::string prefix;      // the text with it at the end, for LineTranslator::translate()
  double probability = 0;  // of all its pieces, given the prefix
  bool continues = false;  // it is more of the prefix's last word
  bool ends = false;       // no word: the end of the translation
};

/// log P of each piece behind each of these beginnings of a translation, as a search may take it:
/// -inf where it must not come. The first call has one beginning; later each is one of the call
/// before with one piece more.
using ScoresAfter = std::function<std::vector<std::vector<float>>(
    const std::vector<std::vector<int32_t>>& beginnings)>;

/// At most `count` of them, likeliest first, each once. They begin with the `count` likeliest next
/// pieces. Each goes on with the likeliest one until a word begins or the translation ends. Throws
/// UserError where the prefix is longer than `longest`, in pieces with eos, lets it be.
std::vector<NextWord> next_words(const text::Vocabulary& vocabulary, const ScoresAfter& scores,
                                 const std::string& prefix, int64_t count, int64_t longest);

}  // namespace heed::decode
