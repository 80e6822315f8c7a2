// heed heads --ablate: every head, and every layer's heads, silenced in turn.
#pragma once

#include <string>

#include "apps/shared/model_folder.h"
#include "apps/shared/pairs.h"

namespace heed {

struct AblatedHeads {
  std::string table, csv;
};

/// `translate`: with BLEU.
AblatedHeads ablated_heads(const std::string& model, const OpenOptions& options, const Pairs& pairs,
                           bool translate);

}  // namespace heed
