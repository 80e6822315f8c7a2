// More pieces for a vocabulary.
#pragma once

namespace heed::text {

class Vocabulary;           // text/vocabulary.h
struct VocabularyTraining;  // text/vocabulary_training.h

/// The vocabulary with more pieces, for the text of `options`, after its own, which keep their ids.
/// It has options.size pieces in all, or fewer where the text has no more. The text is normalised
/// as the vocabulary does it; the algorithm is the vocabulary's, whatever options.algorithm says.
/// `coverage` is that of the new text's characters; symbols of `options` that are new become
/// pieces, too. Throws UserError where the vocabulary is neither unigram nor BPE, or has `size`
/// pieces already; and what train_vocabulary() throws.
Vocabulary extended(const Vocabulary& vocabulary, const VocabularyTraining& options);

}  // namespace heed::text
