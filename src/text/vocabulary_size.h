// Whether a vocabulary can have the size that is wanted, before one is trained.
#pragma once

#include "text/vocabulary.h"

namespace heed::text {

/// Throws what Vocabulary::train() would, where a look at the text's words and characters leaves
/// doubt that `size` pieces can be made of it: then it trains. Else it reads the text once. Returns
/// what train() would warn of.
CutRuns require_reachable(const VocabularyTraining& options);

}  // namespace heed::text
