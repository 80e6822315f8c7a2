// A model that is served, and which of them answers a request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "config/attention_kind.h"
#include "decode/translator.h"

namespace heed::serve {

class Parameters;

struct ServedModel {
  std::string name;
  std::string source, target;                        // codes of its languages
  std::vector<config::AttentionKind> kinds;          // of attention, to show; empty: none
  std::vector<config::AttentionKind> softmax_kinds;  // whose heads' weights are a softmax of scores
  int64_t layer = 0, head = 0;  // where its alignment is best seen; head -1: mean of all
  decode::Translator translator;
};

/// The model that `model` names or, if none is named, the first of those that fit `source` and
/// `target` best. Throws UserError where there is none.
std::size_t choose(const std::vector<ServedModel>& models, const Parameters& parameters);

}  // namespace heed::serve
