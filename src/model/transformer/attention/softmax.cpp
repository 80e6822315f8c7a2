#include "model/transformer/attention/softmax.h"

#include <ATen/ATen.h>

#include <cstdint>
#include <memory>

#include "kernels/attention.h"
#include "model/description/kinds.h"
#include "model/transformer/attention/scaled_dot_product.h"
#include "model/transformer/beam_caches.h"
#include "model/transformer/positions/positions.h"
#include "model/transformer/sentences.h"

namespace heed::model {
SoftmaxAttention::SoftmaxAttention(const MultiHeadOptions& options, const LayerIndex& index)
    : SelfAttention(options, index),
      prepares_(self_attention_info(options.kind).weights == WeightsOf::kPrepared) {}

/// The rotations of the positions from `first`, or of those of them whose indices are `at`:
/// [length, 1, head / 2]; or undefined.
Tensor SoftmaxAttention::turns(int64_t first, int64_t length, const Tensor& at) const {
  const Tensor all = positions_->rotations(first, length);
  if (!all.defined()) return all;
  return (at.defined() ? all.index_select(0, at) : all).unsqueeze(1);
}

/// Prepares and turns queries and keys, which lie side by side: x [..., heads + kv heads, head].
Tensor SoftmaxAttention::changed(const Tensor& x, const Tensor& turns) const {
  const Tensor own = prepares_ ? prepared(x) : x;
  return turns.defined() ? turned(own, turns) : own;
}

SoftmaxAttention::Heads SoftmaxAttention::heads_of(const Tensor& projected,
                                                   const Tensor& turns) const {
  const int64_t count = options_.count(), kv = options_.kv();
  const Tensor all = split_heads(projected, options_.head());
  if (!changes(turns)) {
    const auto parts = all.split_with_sizes({count, kv, kv}, -2);
    return {parts[0], parts[1], parts[2]};
  }
  const auto parts = all.split_with_sizes({count + kv, kv}, -2);
  const auto both = changed(parts[0], turns).split_with_sizes({count, kv}, -2);
  return {both[0], both[1], parts[1]};
}

Tensor SoftmaxAttention::padded(const Tensor& projected, const SentenceLayout& sentences,
                                Tensor* weights) {
  const int64_t length = projected.size(1);
  const Heads heads = heads_of(projected, turns(0, length));
  const Tensor query = heads.query.transpose(1, 2);
  AttentionMask masking = options_.masking(sentences.valid, is_training());
  masking.pattern = options_.pattern;
  masking.added = added_scores(distances(length), query, masking.scale, 0, 0, length);
  return join_heads(
      attend(query, heads.keys.transpose(1, 2), heads.values.transpose(1, 2), masking, weights));
}

Tensor SoftmaxAttention::unpadded(const Tensor& projected, const SentenceLayout& sentences) {
  const Tensor by = turns(0, sentences.longest, sentences.positions);
  if (sentences.starts.defined()) {
    const Heads heads = heads_of(projected, by);
    AttentionMask masking = options_.masking({}, is_training());
    masking.pattern = options_.pattern;
    return attend_varlen(heads.query, heads.keys, heads.values, sentences, sentences, masking);
  }
  Tensor x = projected;
  if (changes(by)) {
    const auto parts =
        projected.split_with_sizes({options_.inner() + options_.shared(), options_.shared()}, 1);
    x = at::cat({changed(split_heads(parts[0], options_.head()), by).flatten(1), parts[1]}, 1);
  }
  const ScoresByDistance scores = distances(sentences.longest);
  const Tensor query = split_heads(x.narrow(1, 0, options_.inner()), options_.head());
  return kernels::unpadded_attention(x, x, options_.unpadded_heads(sentences, sentences),
                                     options_.pattern, options_.factor(),
                                     {numbers_by_distance(scores, query, options_.factor())});
}

/// Writes the keys and values of a step into `cache`. Returns its queries [sentences, beam, heads,
/// head].
Tensor SoftmaxAttention::write_beams(const Tensor& projected, const HeadsOfLayer& cache,
                                     const BeamStep& now) const {
  const auto write = [&](const Tensor& heads, const Tensor& now_heads) {
    if (now.slots.defined())
      heads.index_copy_(2, now.slots, now_heads.transpose(1, 2));
    else
      heads.narrow(2, now.slot, projected.size(1)).copy_(now_heads.transpose(1, 2));
  };
  const Tensor by = turns(now.position, now.positions, now.at);
  if (!changes(by)) {  // keys and values lie side by side
    const Tensor all = split_heads(projected, options_.head());
    write(cache.both, all.narrow(2, options_.count(), 2 * options_.kv()));
    return all.narrow(2, 0, options_.count());
  }
  const Heads heads = heads_of(projected, by);
  write(cache.keys(), heads.keys);
  write(cache.values(), heads.values);
  return heads.query;
}

Tensor SoftmaxAttention::step_of_beams(const Tensor& projected, const HeadsOfLayer& cache,
                                       const BeamStep& now, Tensor* weights) {
  const Tensor query = write_beams(projected, cache, now);
  AttentionMask masking = options_.masking({}, is_training());
  Tensor by_step;
  if (const ScoresByDistance scores = distances(now.position + 1); scores.any())
    by_step = added_scores(scores, query.flatten(0, 1).unsqueeze(2), masking.scale, now.position, 0,
                           now.position + 1);
  masking.added = added_at(now, by_step, projected.size(0), options_.kv());
  const auto seen = [&](const Tensor& heads) { return heads.narrow(2, now.first, now.count); };
  const Tensor context =
      attend_beams(query, seen(cache.keys()), seen(cache.values()), masking, weights);
  if (weights) *weights = weights_by_step(*weights, now);
  return context;
}

SelfAttentionPtr make_softmax(const MultiHeadOptions& options, const LayerIndex& index) {
  return std::make_shared<SoftmaxAttention>(options, index);
}

}  // namespace heed::model
