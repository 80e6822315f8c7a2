// What the heads of a model attend to while it reads pairs.
#pragma once

#include <string>
#include <vector>

#include "decode/translator.h"
#include "inspect/attention_maps.h"
#include "inspect/gold.h"
#include "study/heads.h"

namespace heed::inspect {

struct HeadRequest {
  std::vector<AttentionKind> kinds;
  study::HeadOptions options;
  ComparableGold gold;
  std::vector<std::vector<study::Antecedent>> antecedents = {};  // of each pair, or nothing
  std::string antecedents_name = {};                             // of their file
};

/// Of all layers and heads, over the pairs that are not too long. `source` is the pairs' file and
/// `model` the model's name, for messages: warnings count the pairs whose gold was left out. Throws
/// UserError as attention_maps(), and for gold that does not fit its pair.
study::HeadReport head_report(decode::Translator& translator, const text::Pairs& pairs,
                              HeadRequest request, const std::string& source,
                              const std::string& model);

}  // namespace heed::inspect
