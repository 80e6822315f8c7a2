// heed heads --ablate: every head, and every layer's heads, silenced in turn.
#pragma once

#include <string>

#include "apps/shared/pairs.h"
#include "run/model_folder.h"

namespace heed {

struct AblatedHeads {
  std::string table, csv;
};

/// `translate`: with BLEU.
AblatedHeads ablated_heads(const std::string& model, const run::OpenOptions& options,
                           const Pairs& pairs, bool translate);

}  // namespace heed
