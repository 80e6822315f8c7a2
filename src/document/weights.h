// How much the words of a translation belong to those of its segment.
#pragma once

#include <cstddef>
#include <vector>

namespace heed::document {

/// Attention between words, as text::words_in() finds them: [words of the translation, words of the
/// segment]. There are fewer columns where the segment was cut before it was translated.
struct WordWeights {
  std::size_t columns = 0;
  std::vector<double> values;
};

/// Weights in place of a model's attention: each word of a translation attends to the words at the
/// same fraction of the source sentence.
WordWeights diagonal_weights(std::size_t rows, std::size_t columns);

/// The cubes of the weights, because many small weights say less than a large one, scaled so that
/// the weights of each word of the translation sum to 1, and those of each source word to about the
/// same (Sinkhorn and Knopp 1967): a word that gets less attention than its neighbours, like many
/// function words, is aligned, too. The rounds are few, because a word may be translated by
/// several, and a word that hardly any word attends to should stay small.
WordWeights balanced(WordWeights weights);

}  // namespace heed::document
