// Where several translations of the same text differ: by the frequency of words, in n-grams that
// one gets right and another does not, and in single sentences. Numbers are those of compare-mt
// (Neubig et al. 2019) where it has them. Knows nothing of LibTorch.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "score/lengths.h"

namespace heed::study {

using Lines = std::vector<std::string>;
/// Words of each line (text::words_in()).
using Tokens = std::vector<std::vector<std::string>>;
using WordFrequencies = std::map<std::string, int64_t>;

Tokens tokens_of(const Lines& lines);
WordFrequencies frequencies_of(const Tokens& lines);

using score::ratio;

/// Matches of one system's words that a class of words has.
struct WordMatches {
  int64_t matches = 0, output = 0, reference = 0;

  double precision() const { return ratio(matches, output); }
  double recall() const { return ratio(matches, reference); }
  double f1() const { return 2 * ratio(matches, output + reference); }  // 0 where nothing matches
};

/// Words that stand low..high times in the text that counts.
struct FrequencyBucket {
  int64_t low = 0;
  std::optional<int64_t> high;
  std::vector<WordMatches> systems;

  std::string label() const;  // "0", "5-9", ">= 1000"
};

/// 0, 1, 2, 3, 4, 5-9, 10-99, 100-999 and more. A word matches as often as the reference of its
/// line has it.
std::vector<FrequencyBucket> accuracy_by_frequency(const Tokens& reference,
                                                   const std::vector<Tokens>& systems,
                                                   const WordFrequencies& frequencies);

/// An n-gram that one of two systems gets right more often.
struct NgramDifference {
  std::string ngram;
  int64_t first = 0, second = 0;  // matches
  double share = 0;               // (first + 1) / (first + second + 2)
};

/// Of the orders 1 to 4, the `most` with the highest share and the `most` with the lowest, in this
/// order; between equal ones the more frequent, then by the alphabet.
struct NgramDifferences {
  std::vector<NgramDifference> first, second;
};
NgramDifferences ngram_differences(const Tokens& reference, const Tokens& first,
                                   const Tokens& second, std::size_t most);

/// A sentence and what each system's translation of it is worth.
struct SentenceScores {
  std::size_t line = 0;      // from 0
  std::vector<double> chrf;  // of each system
  double spread = 0;         // the highest less the lowest of them
};

/// The `most` sentences with the largest spread in chrF2, the largest first: whichever two of the
/// systems differ. Sentences without one are left out. `systems`: two or more, with as many lines
/// as the reference.
std::vector<SentenceScores> sentences_that_differ(const Lines& reference,
                                                  const std::vector<score::SystemOutput>& systems,
                                                  std::size_t most);

/// A part of a text and whether it stands in the other one, too.
struct TextPart {
  std::string text;
  bool common = true;
  std::size_t words = 1;
};

/// Whether marked_differences() looks at the order of words: it holds a number for each pair of
/// them, at most 16 million.
bool compares_order(const std::vector<std::string>& text, const std::vector<std::string>& other);

/// The words of `text` in order, neighbours of one kind together: common are those of a longest
/// common subsequence with `other`. Without compares_order() a word is common as often as `other`
/// has it, wherever that is.
std::vector<TextPart> marked_differences(const std::vector<std::string>& text,
                                         const std::vector<std::string>& other);

}  // namespace heed::study
