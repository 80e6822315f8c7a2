// The attention that a caller sees, guides or replaces while a model computes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "kernels/tensor.h"
#include "model/description/config.h"

namespace heed::model {

/// The weights that were kept of one attention.
struct AttentionMap {
  AttentionKind kind = AttentionKind::cross;
  int64_t layer = 0;  // 0-based
  /// [batch, heads, query, keys] float, stepwise [sentences, heads, beam, keys]. Rows sum to 1 over
  /// valid keys, but for linear attention with rotary positions.
  Tensor weights;
};

/// The cross-attention from which a loss is computed: one head, whose log weights are computed
/// beside the fused path.
struct Guided {
  int64_t layer = 0, head = 0;  // of a Transformer; the layer as in decoder_layer()
  /// Receives log weights [batch, target, source], fp32 or double, with a gradient: row t is of the
  /// step that predicts target piece t. Stays undefined where nothing attends.
  Tensor logs = {};
};

/// The source's word vectors, for gradients with regard to them.
struct SourceVectors {
  double share = 1;  // the vectors are multiplied by it
  /// Receives the vectors with which the model then goes on, [batch, source, width]: a leaf that
  /// wants a gradient.
  Tensor leaf = {};
};

/// Replaces the weights of cross-attention, [batch, heads, query, keys] of a layer, whose heads
/// begin with `first_head`, to find out what the model would say if it had looked elsewhere.
using Exchange = std::function<Tensor(const Tensor& weights, int64_t layer, int64_t first_head)>;

/// The requests of a caller that wants to see attention weights (nullptr: the fused path runs and
/// no weights are made).
struct Trace {
  std::set<AttentionKind> kinds = {AttentionKind::cross};
  std::vector<AttentionMap> maps = {};
  std::optional<Guided> guided = {};          // in `features` alone
  std::optional<SourceVectors> vectors = {};  // the same
  Exchange exchange = {};                     // the same
};

}  // namespace heed::model
