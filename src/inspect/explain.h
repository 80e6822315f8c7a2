// Other evidence than attention of what each target piece depends on in the source: gradients with
// regard to the source's word vectors, and pieces that are left out.
//
//   saliency    x(i) . d log p(y(t)) / d x(i)                         gradient x input
//   integrated  x(i) . mean over k of 2 u(k) times the same gradient at u(k)^2 x, where
//               u(k) = (k - 1/2) / m, k = 1..m
//               Sundararajan, Taly and Yan 2017, equation 3, from zero vectors, by the midpoint
//               rule in u after the substitution u^2 of their path: a row adds up to
//               log p(y(t) | x) - log p(y(t) | 0). Where it does not, by Simpson's rule, and
//               steps are halved in which log p changes by more than their gradients say, until
//               it does. A jump of log p (window: local_p) is in no gradient and stays missing
//   erasure     log p(y(t) | x) - log p(y(t) | x without i)           Li, Monroe and Jurafsky 2016
//
// x(i): the vector of source piece i, without its position. All in fp32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/attention_kind.h"
#include "decode/translator.h"
#include "model/trace.h"
#include "study/attention_matrix.h"
#include "study/faithful.h"

namespace heed::inspect {

struct Explanation {
  std::string target_text;
  /// The evidence by pieces with </s>, in nats and with signs; of erasure 0 for </s>. `missing`, of
  /// integrated: explained - unexplained - the row's sum; empty where all rows add up.
  study::AttentionMatrix matrix;
  std::vector<float> explained;    // [target] log p(y(t) | x)
  std::vector<float> unexplained;  // [target] integrated: log p(y(t) | 0)
};

/// A row of integrated gradients adds up where no more is missing than this, in nats, and this
/// share of explained - unexplained.
inline constexpr double kMayMiss = 0.05, kMayMissShare = 0.02;

struct ExplainOptions {
  config::AttentionKind evidence = config::AttentionKind::saliency;  // integrated, erasure
  int64_t steps = 32;                                                // of integrated, at least
  /// For erasure, the group of each source piece, </s> included. The pieces of a group are left out
  /// together; the first of them has the result, the others have 0. Empty: each piece is left out
  /// by itself.
  std::function<std::vector<std::size_t>(const std::vector<std::string>& pieces)> groups = {};
};

/// One per line of `sources`, in order, by the translator's first model, as attention_maps():
/// without `targets` of its own best translations. A blank line with no target given has no
/// weights. Works for every model, those without attention included.
std::vector<Explanation> explain(decode::Translator& translator,
                                 const std::vector<std::string>& sources,
                                 const std::optional<std::vector<std::string>>& targets,
                                 const ExplainOptions& options, int64_t first_line = 1);

/// How far the output moves when one head's weights are exchanged at random (Jain and Wallace 2019,
/// section 4.2.1): if it hardly does, the weights explain little. This permutes each row of the
/// head's weights by itself, at every call into other orders: recurrent models call it for each
/// step. Of head -1 all heads of the layer are permuted, a row of them alike, and so is their mean.
/// Equal seeds give equal orders.
model::Exchange permuting(int64_t of_layer, int64_t of_head, uint64_t seed);

/// One list per line of `sources`, in order, as attention_maps(): every head of cross-attention by
/// itself, and every layer of several heads (head -1), each row of its weights permuted over the
/// source pieces `draws` times. Empty for a blank line and for a model that does not attend.
std::vector<std::vector<study::PermutedHead>> permuted_outputs(
    decode::Translator& translator, const std::vector<std::string>& sources,
    const std::optional<std::vector<std::string>>& targets, int64_t draws, int64_t first_line = 1);

}  // namespace heed::inspect
