// More pieces for a SentencePiece model. Inside text/ only.
#pragma once

#include <string>

#include "text/vocabulary.h"

namespace heed::text {

/// The bytes of a sound model with pieces for the text of `options` behind its own
/// (Vocabulary::extended), which is normalised as the model does it; options.algorithm is the
/// model's.
std::string extend_model(const std::string& model, const VocabularyTraining& options);

}  // namespace heed::text
