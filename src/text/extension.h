// More pieces for a vocabulary.
#pragma once

namespace heed::text {

class Vocabulary;           // text/vocabulary.h
struct VocabularyTraining;  // text/vocabulary_training.h

/// The vocabulary, each piece under its id, with pieces for the text after them, up to options.size
/// in all; fewer where the text has no more. The text is normalised as the vocabulary does it, and
/// options.algorithm is the vocabulary's. `coverage` is that of the new text's characters; symbols
/// of `options` that are new become pieces, too. Throws UserError where the vocabulary is neither
/// unigram nor BPE, or has `size` pieces already; and as train_vocabulary().
Vocabulary extended(const Vocabulary& vocabulary, const VocabularyTraining& options);

}  // namespace heed::text
