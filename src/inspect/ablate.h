// heed heads --ablate: every head, and every layer's heads, silenced in turn.
#pragma once

#include <string>

#include "inspect/head_trial.h"

namespace heed::inspect {

struct AblatedHeads {
  std::string table, csv;
};

/// `translate`: with BLEU.
AblatedHeads ablated_heads(HeadTrial& trial, bool translate);

}  // namespace heed::inspect
