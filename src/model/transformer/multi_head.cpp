#include "model/transformer/multi_head.h"

#include <ATen/ATen.h>

#include <cstdint>
#include <limits>
#include <optional>

#include "base/error.h"
#include "kernels/attention.h"
#include "kernels/normalisers/normaliser.h"
#include "model/description/config.h"
#include "model/transformer/attention/scaled_dot_product.h"
#include "model/transformer/beam_caches.h"
#include "model/transformer/blocks.h"
#include "model/transformer/heads.h"
#include "model/transformer/sentences.h"

namespace heed::model {

CrossAttention::CrossAttention(const MultiHeadOptions& options)
    : options_(options), query_(nullptr), projection_(nullptr), output_(nullptr) {
  require_sound(options);
  const int64_t width = options.width, inner = options.inner(), shared = options.shared();
  query_ = register_module(names::kQuery, xavier_linear(width, {inner}, options.bias));
  projection_ =
      register_module(names::kProjection, xavier_linear(width, {shared, shared}, options.bias));
  output_ = register_module(names::kOutput, xavier_linear(inner, {width}, options.bias));
}

KeysValues CrossAttention::project(const Tensor& memory) {
  const Tensor projected = linear(*projection_, memory);
  if (memory.dim() == 2) return {.unpadded = projected};
  const auto parts = projected.chunk(2, -1);
  return {.keys = split_heads(parts[0], options_.head()).transpose(1, 2),
          .values = split_heads(parts[1], options_.head()).transpose(1, 2)};
}

/// The log weights of one head, [batch, query, source], in fp32 as in attend() with weights. Its
/// products are small beside those of all heads.
Tensor CrossAttention::logs_of_head(const Tensor& query, const KeysValues& memory,
                                    const CrossSentenceLayout& sentences, int64_t head) const {
  const std::optional<int64_t> left =
      options_.kept.empty() ? head : index_among(options_.kept, head);
  expect(left.has_value(), "a head that was not pruned");
  const int64_t width = options_.head(), index = *left;
  const int64_t shared = index / (options_.count() / options_.kv());
  const kernels::WithoutAutocast guard;
  Tensor queries = kernels::widened(query.narrow(-1, index * width, width)), keys, valid;
  if (sentences.memory.unpadded()) {
    queries = pad(queries, sentences.queries);
    keys =
        pad(kernels::widened(memory.unpadded.narrow(1, shared * width, width)), sentences.memory);
    valid = real_positions(sentences.memory).unsqueeze(1);
  } else {
    keys = kernels::widened(memory.keys.select(1, shared));
    if (sentences.memory.valid.defined()) valid = sentences.memory.valid.squeeze(1);
  }
  Tensor scores = at::bmm(queries, keys.transpose(1, 2)) * options_.factor();
  if (valid.defined())
    scores = scores.masked_fill(valid.logical_not(), -std::numeric_limits<double>::infinity());
  return at::log_softmax(scores, -1);
}

/// [positions, width] -> [positions, width]
Tensor CrossAttention::attend_unpadded(const Tensor& query, const KeysValues& memory,
                                       const CrossSentenceLayout& sentences) const {
  if (sentences.memory.starts.defined()) {
    const auto parts = memory.unpadded.chunk(2, 1);
    return attend_varlen(split_heads(query, options_.head()),
                         split_heads(parts[0], options_.head()),
                         split_heads(parts[1], options_.head()), sentences.queries,
                         sentences.memory, options_.masking({}, is_training()));
  }
  if (kernels::is_softmax(options_.normalise))
    return kernels::unpadded_attention(query, memory.unpadded,
                                       options_.unpadded_heads(sentences.queries, sentences.memory),
                                       /*pattern=*/{}, options_.factor());
  const auto heads = [this](const Tensor& padded) {
    return split_heads(padded, options_.head()).transpose(1, 2);
  };
  const auto parts = pad(memory.unpadded, sentences.memory).chunk(2, -1);
  const Tensor valid = real_positions(sentences.memory).unsqueeze(1).unsqueeze(1);
  const Tensor context = attend(heads(pad(query, sentences.queries)), heads(parts[0]),
                                heads(parts[1]), options_.masking(valid, is_training()));
  return remove_padding(join_heads(context), sentences.queries);
}

Tensor CrossAttention::forward(const Tensor& x, const KeysValues& memory,
                               const CrossSentenceLayout& sentences, Tensor* weights,
                               Guided* guided,
                               const std::function<Tensor(const Tensor&)>& exchange) {
  const Tensor query = linear(*query_, x);
  if (guided != nullptr) guided->logs = logs_of_head(query, memory, sentences, guided->head);
  if (sentences.memory.unpadded())
    return linear(*output_, attend_unpadded(query, memory, sentences));
  AttentionMask masking = options_.masking(sentences.memory.valid, is_training());
  masking.exchange = exchange;
  const Tensor context = attend(split_heads(query, options_.head()).transpose(1, 2), memory.keys,
                                memory.values, masking, weights);
  return linear(*output_, join_heads(context));
}

Tensor CrossAttention::step(const Tensor& x, const HeadsOfLayer& source, const Tensor& padding,
                            Tensor* weights) {
  AttentionMask masking = options_.masking({}, is_training());
  masking.added = padding;
  const Tensor query = split_heads(linear(*query_, x), options_.head());
  return linear(*output_, attend_beams(query, source.keys(), source.values(), masking, weights));
}

}  // namespace heed::model
