// The kinds of a Transformer's self-attention, as a configuration names them: what each goes with,
// and what may compute it in its place. Torch-free.
#pragma once

#include <memory>
#include <string>

#include "model/description/config.h"

namespace heed::model {

class SelfAttention;
struct MultiHeadOptions;
struct LayerIndex;

using SelfAttentionPtr = std::shared_ptr<SelfAttention>;

/// What weights are made of, which says who may compute them.
enum class WeightsOf {
  kProducts,  // a softmax of q k / sqrt(head): src/engine, CTranslate2 and all kernels
  kPrepared,  // the same of queries and keys that the kind changed before: the kernels
  kNoScores,  // no softmax: the kind alone. Nothing can be added to scores, hidden or dropped
};

/// Which keys say what a position sees.
enum class SeenBy {
  kWindow,   // sliding_window, which may be 0
  kPattern,  // sliding_window, global_tokens and attention_stride
  kAll,      // none: every position sees all
};

/// One line of registry.def.
struct SelfAttentionInfo {
  const char* name;
  const char* help;  // the equation, and the paper
  WeightsOf weights;
  SeenBy seen;
  SelfAttentionPtr (*make)(const MultiHeadOptions& options, const LayerIndex& index);

  bool has_scores() const { return weights != WeightsOf::kNoScores; }
  /// Whether engines that know softmax attention can run it, if they know its window.
  bool is_plain() const { return weights == WeightsOf::kProducts && seen == SeenBy::kWindow; }
};

/// Throws UserError for an unknown name.
const SelfAttentionInfo& self_attention_info(const std::string& name);

}  // namespace heed::model
