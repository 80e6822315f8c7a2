// Pieces as parts of words: what is told of each piece, told of each word.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "study/attention_matrix.h"
#include "text/words.h"

namespace heed::study {

using text::WordsOfParts;

/// Whether no piece holds the beginnings of two words: links of such words cannot be told.
bool tells_words_apart(const WordsOfParts& words);

/// `pieces`, with `</s>` last on both sides, under labels that merge_words() joins to these words.
AttentionMatrix with_words(AttentionMatrix pieces, const WordsOfParts& target,
                           const WordsOfParts& source);

/// What stands for a piece outside the vocabulary: the source word with the largest weight. If the
/// vocabulary does not know all of that word, the unknown part of it with the largest weight; else
/// the word without the punctuation around it. `surfaces` and `is_unknown` are of the source's
/// pieces, and `weights` have at least as many. "" where there is no word.
std::string source_word_for(const std::vector<std::string>& surfaces,
                            const std::vector<bool>& is_unknown, std::span<const float> weights);

}  // namespace heed::study
