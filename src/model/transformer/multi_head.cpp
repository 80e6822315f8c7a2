#include "model/transformer/multi_head.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "kernels/attention.h"
#include "kernels/fp32.h"
#include "kernels/product.h"
#include "kernels/varlen_attention.h"
#include "model/device.h"
#include "model/initial.h"
#include "model/sizes_only.h"
#include "model/transformer/heads.h"
#include "model/transformer/layers.h"
#include "model/transformer/linear_attention.h"
#include "model/transformer/names.h"

namespace heed::model {
namespace {

constexpr int64_t kCacheChunk = 16;  // steps that the cache grows by

double scale_of(const MultiHeadOptions& options) {
  return options.scale == AttentionScale::sqrt ? 1 / std::sqrt(static_cast<double>(options.head()))
                                               : 1;
}

/// Without the window, which only whole sentences need.
Look look_of(const MultiHeadOptions& options, const Tensor& valid, bool causal, bool training) {
  return {.valid = valid,
          .causal = causal,
          .scale = scale_of(options),
          .dropout = training ? options.dropout : 0,
          .normalise = options.normalise};
}

kernels::PackedHeads packed_heads(const MultiHeadOptions& options, const Sentences& queries,
                                  const Sentences& keys) {
  return {.query_lengths = queries.lengths,
          .key_lengths = keys.lengths,
          .heads = options.count(),
          .kv_heads = options.kv(),
          .head = options.head()};
}

/// [..., heads*head] -> [..., heads, head]
Tensor split_heads(const Tensor& x, int64_t head) {
  return x.unflatten(-1, {-1, head});
}

/// [batch, heads, query, head] -> [batch, query, heads*head]
Tensor join_heads(const Tensor& x) {
  return x.transpose(1, 2).flatten(2);
}

/// Of packed sentences on a GPU: query [query positions, heads, head], keys and values [key
/// positions, kv heads, head] -> [query positions, heads*head].
Tensor attend_varlen(const MultiHeadOptions& options, const Tensor& query, const Tensor& keys,
                     const Tensor& values, const Between& sentences, bool causal, bool training) {
  return kernels::varlen_attention(query, keys, values,
                                   {sentences.queries.starts, sentences.queries.longest},
                                   {sentences.memory.starts, sentences.memory.longest},
                                   {.causal = causal,
                                    .scale = scale_of(options),
                                    .dropout = training ? options.dropout : 0,
                                    .window = options.pattern.window})
      .flatten(1);
}

void require_sound(const MultiHeadOptions& options) {
  expect(options.width % options.heads == 0, "the heads divide the width");
  expect(options.count() % options.kv() == 0, "the kv heads divide the heads");
}

/// Writes `now` [sentences, beam, kv heads, head] at `position`; grows `cache` in chunks, and
/// copies it first where another State holds it as well.
void write_step(Tensor& cache, const Tensor& now, int64_t position) {
  const int64_t capacity = cache.defined() ? cache.size(3) : 0;
  if (position == capacity) {
    const Tensor room =
        at::zeros({now.size(0), now.size(1), now.size(2), kCacheChunk, now.size(3)}, now.options());
    cache = cache.defined() ? at::cat({cache, room}, 3) : room;
  } else if (cache.use_count() > 1) {
    cache = cache.clone();
  }
  cache.select(3, position).copy_(now);
}

/// The steps that the one at `position` sees of a sparse pattern; undefined where they are all that
/// its window sees.
Tensor seen_places(const kernels::Pattern& pattern, int64_t position, const at::Device& device) {
  if (!pattern.is_sparse()) return {};
  std::vector<int64_t> places;
  for (int64_t place = 0; place <= position; ++place)
    if (pattern.sees(position, place)) places.push_back(place);
  return upload_numbers(places, device);
}

}  // namespace

torch::nn::Linear xavier_linear(int64_t in, const std::vector<int64_t>& outs, bool bias) {
  const int64_t stacked = std::accumulate(outs.begin(), outs.end(), int64_t{0});
  const at::NoGradGuard no_grad;
  if (Uninitialised::wanted() || SizesOnly::wanted()) {
    // LibTorch's layer cannot be made without drawing its weights.
    torch::nn::Linear linear(torch::nn::LinearOptions(1, 1).bias(bias));
    linear->options.in_features(in).out_features(stacked);
    // Its weight cannot move to `meta`; one number that stands in every place takes no memory.
    linear->weight.set_data(SizesOnly::wanted() ? at::zeros({1, 1}).expand({stacked, in})
                                                : at::empty({stacked, in}));
    if (bias) linear->bias.set_data(at::empty({stacked}));
    return linear;
  }
  torch::nn::Linear linear(torch::nn::LinearOptions(in, stacked).bias(bias));
  for (int64_t row = 0; const int64_t out : outs) {
    const double limit = std::sqrt(6.0 / static_cast<double>(in + out));
    linear->weight.narrow(0, row, out).uniform_(-limit, limit);
    row += out;
  }
  if (bias) linear->bias.zero_();
  return linear;
}

SelfAttention::SelfAttention(const MultiHeadOptions& options,
                             std::shared_ptr<const Positions> positions, int64_t layer)
    : options_(options),
      projection_(nullptr),
      output_(nullptr),
      positions_(positions ? std::move(positions) : std::make_shared<Positions>()),
      layer_(layer) {
  require_sound(options);
  const int64_t width = options.width, inner = options.inner();
  const int64_t shared = options.kv() * options.head();
  projection_ = register_module(names::kProjection,
                                xavier_linear(width, {inner, shared, shared}, options.bias));
  output_ = register_module(names::kOutput, xavier_linear(inner, {width}, options.bias));
}

SelfAttention::Heads SelfAttention::project(const Tensor& x) {
  const int64_t shared = options_.kv() * options_.head();
  const auto parts =
      linear(*projection_, x).split_with_sizes({options_.inner(), shared, shared}, -1);
  return {.query = split_heads(parts[0], options_.head()),
          .keys = split_heads(parts[1], options_.head()),
          .values = split_heads(parts[2], options_.head())};
}

/// What the positions add to the scores of this layer's heads.
ScoresByDistance SelfAttention::distances(int64_t length) const {
  ScoresByDistance scores = positions_->by_distance(layer_, length);
  if (scores.numbers.defined() && !options_.kept.empty())
    scores.numbers =
        scores.numbers.index_select(0, upload_numbers(options_.kept, scores.numbers.device()));
  return scores;
}

/// [positions, width] -> [positions, width]
Tensor SelfAttention::attend_packed(const Tensor& x, const Sentences& sentences, bool causal) {
  if (sentences.starts.defined()) {
    const Heads heads = project(x);
    const auto rotated = [&](const Tensor& of) {
      return positions_->rotate_at(of, sentences.positions, sentences.longest);
    };
    return attend_varlen(options_, rotated(heads.query), rotated(heads.keys), heads.values,
                         {sentences, sentences}, causal, is_training());
  }
  Tensor projected = linear(*projection_, x);
  if (positions_->rotations(0, 1).defined()) {
    // Queries and keys lie side by side: they rotate together.
    const int64_t shared = options_.kv() * options_.head();
    const auto parts = projected.split_with_sizes({options_.inner() + shared, shared}, 1);
    const Tensor heads = split_heads(parts[0], options_.head());
    projected = at::cat(
        {positions_->rotate_at(heads, sentences.positions, sentences.longest).flatten(1), parts[1]},
        1);
  }
  const ScoresByDistance scores = distances(sentences.longest);
  const Tensor query = split_heads(projected.narrow(1, 0, options_.inner()), options_.head());
  return kernels::packed_attention(
      projected, projected, packed_heads(options_, sentences, sentences), causal,
      scale_of(options_), {numbers_by_distance(scores, query, scale_of(options_))},
      options_.pattern);
}

Tensor SelfAttention::forward(const Tensor& x, const Sentences& sentences, bool causal,
                              Tensor* weights) {
  if (sentences.packed()) return linear(*output_, attend_packed(x, sentences, causal));
  Heads heads = project(x);
  const int64_t length = x.size(1);
  Look look = look_of(options_, sentences.valid, causal, is_training());
  look.pattern = options_.pattern;
  if (!options_.linear) {
    heads.query = positions_->rotate(heads.query, 0);
    heads.keys = positions_->rotate(heads.keys, 0);
  }
  const Tensor query = heads.query.transpose(1, 2), keys = heads.keys.transpose(1, 2),
               values = heads.values.transpose(1, 2);
  look.added = added_scores(distances(length), query, look.scale, 0, 0, length);
  const Tensor context =
      options_.linear
          ? linear_attention(query, keys, values, look, positions_->rotations(0, length), weights)
          : attend(query, keys, values, look, weights);
  return linear(*output_, join_heads(context));
}

Tensor SelfAttention::step(const Tensor& x, const StepCache& cache, int64_t position,
                           Tensor* weights) {
  expect(!options_.linear || !weights, "the sums of linear attention tell no weights");
  const Heads heads = project(x);  // [sentences, beam, heads, head]
  const Tensor context = options_.linear ? linear_step_of(heads, cache, position)
                                         : attend_step(heads, cache, position, weights);
  return linear(*output_, context.reshape({x.size(0), x.size(1), options_.inner()}));
}

/// [sentences * beam, heads, head]
Tensor SelfAttention::linear_step_of(const Heads& heads, const StepCache& cache, int64_t position) {
  const int64_t sentences = heads.query.size(0), beam = heads.query.size(1);
  LinearSums sums;
  if (cache.keys.defined()) sums = {cache.values.flatten(0, 1), cache.keys.flatten(0, 1)};
  const Tensor context =
      linear_step(heads.query.flatten(0, 1), heads.keys.flatten(0, 1), heads.values.flatten(0, 1),
                  sums, positions_->rotations(position, 1));
  cache.values = sums.products.unflatten(0, {sentences, beam});
  cache.keys = sums.keys.unflatten(0, {sentences, beam});
  return context;
}

/// [sentences * beam, heads, 1, head]
Tensor SelfAttention::attend_step(const Heads& heads, const StepCache& cache, int64_t position,
                                  Tensor* weights) {
  write_step(cache.keys, positions_->rotate_all(heads.keys, position), position);
  write_step(cache.values, heads.values, position);
  const Tensor places = seen_places(options_.pattern, position, heads.query.device());
  const int64_t window = options_.pattern.is_band() ? options_.pattern.window : position;
  const int64_t first = std::max<int64_t>(0, position - window);
  const int64_t count = position + 1 - first;
  const auto seen = [&](const Tensor& all) {  // [sentences * beam, kv heads, keys, head]
    const Tensor flat = all.flatten(0, 1);
    return places.defined() ? flat.index_select(2, places) : flat.narrow(2, first, count);
  };
  const Tensor query =  // [sentences * beam, heads, 1, head]
      positions_->rotate_all(heads.query, position).flatten(0, 1).unsqueeze(2);
  Look look = look_of(options_, {}, false, is_training());
  look.added = added_scores(distances(position + 1), query, look.scale, position, first, count);
  if (look.added.defined() && places.defined()) look.added = look.added.index_select(3, places);
  const Tensor context = attend(query, seen(cache.keys), seen(cache.values), look, weights);
  if (weights)
    *weights = weights->squeeze(2)
                   .unflatten(0, {heads.query.size(0), heads.query.size(1)})
                   .transpose(1, 2);
  return context;
}

/// Returns the queries [sentences, beam, heads, head].
Tensor SelfAttention::write_beams(const Tensor& projected, const HeadsOfLayer& cache,
                                  const BeamStep& now) const {
  const int64_t inner = options_.inner(), shared = options_.kv() * options_.head();
  const int64_t beam = projected.size(1);
  const auto write = [&](const Tensor& heads, const Tensor& now_heads) {
    if (now.places.defined())
      heads.index_copy_(2, now.places, now_heads.transpose(1, 2));
    else
      heads.narrow(2, now.place, beam).copy_(now_heads.transpose(1, 2));
  };
  Tensor turns = positions_->rotations(now.position, now.positions);
  if (now.at.defined() && turns.defined()) turns = turns.index_select(0, now.at);
  if (!turns.defined()) {
    write(cache.both, split_heads(projected.narrow(2, inner, 2 * shared), options_.head()));
    return split_heads(projected.narrow(2, 0, inner), options_.head());
  }
  // Queries and keys lie side by side: they rotate together.
  const auto parts = projected.split_with_sizes({inner + shared, shared}, 2);
  const Tensor rotated = turned(split_heads(parts[0], options_.head()), turns);
  write(cache.keys(), rotated.narrow(2, options_.count(), options_.kv()));
  write(cache.values(), split_heads(parts[1], options_.head()));
  return rotated.narrow(2, 0, options_.count());
}

Tensor SelfAttention::step(const Tensor& x, const HeadsOfLayer& cache, const BeamStep& now,
                           Tensor* weights) {
  const Tensor query = write_beams(linear(*projection_, x), cache, now);
  Look look = look_of(options_, {}, false, is_training());
  Tensor by_step;
  if (const ScoresByDistance scores = distances(now.position + 1); scores.any())
    by_step = added_scores(scores, query.flatten(0, 1).unsqueeze(2), look.scale, now.position, 0,
                           now.position + 1);
  look.added = added_at(now, by_step, x.size(0), options_.kv());
  const auto seen = [&](const Tensor& heads) { return heads.narrow(2, now.first, now.count); };
  const Tensor context =
      attend_beams(query, seen(cache.keys()), seen(cache.values()), look, weights);
  if (weights) *weights = weights_by_step(*weights, now);
  return linear(*output_, context);
}

CrossAttention::CrossAttention(const MultiHeadOptions& options)
    : options_(options), query_(nullptr), projection_(nullptr), output_(nullptr) {
  require_sound(options);
  const int64_t width = options.width, inner = options.inner();
  const int64_t shared = options.kv() * options.head();
  query_ = register_module(names::kQuery, xavier_linear(width, {inner}, options.bias));
  projection_ =
      register_module(names::kProjection, xavier_linear(width, {shared, shared}, options.bias));
  output_ = register_module(names::kOutput, xavier_linear(inner, {width}, options.bias));
}

KeysValues CrossAttention::project(const Tensor& memory) {
  const Tensor projected = linear(*projection_, memory);
  if (memory.dim() == 2) return {.packed = projected};
  const auto parts = projected.chunk(2, -1);
  return {.keys = split_heads(parts[0], options_.head()).transpose(1, 2),
          .values = split_heads(parts[1], options_.head()).transpose(1, 2)};
}

/// [batch, query, source], in fp32 as attend() with weights. Its products are small beside those of
/// all heads.
Tensor CrossAttention::logs_of_head(const Tensor& query, const KeysValues& memory,
                                    const Between& sentences, int64_t head) const {
  const std::optional<int64_t> left =
      options_.kept.empty() ? head : place_among(options_.kept, head);
  expect(left.has_value(), "a head that was not pruned");
  const int64_t width = options_.head(), place = *left;
  const int64_t shared = place / (options_.count() / options_.kv());
  const kernels::WithoutAutocast guard;
  Tensor asked = kernels::widened(query.narrow(-1, place * width, width)), keys, valid;
  if (sentences.memory.packed()) {
    asked = pad(asked, sentences.queries);
    keys = pad(kernels::widened(memory.packed.narrow(1, shared * width, width)), sentences.memory);
    valid = real_positions(sentences.memory).unsqueeze(1);
  } else {
    keys = kernels::widened(memory.keys.select(1, shared));
    if (sentences.memory.valid.defined()) valid = sentences.memory.valid.squeeze(1);
  }
  Tensor scores = at::bmm(asked, keys.transpose(1, 2)) * scale_of(options_);
  if (valid.defined())
    scores = scores.masked_fill(valid.logical_not(), -std::numeric_limits<double>::infinity());
  return at::log_softmax(scores, -1);
}

/// [positions, width] -> [positions, width]
Tensor CrossAttention::attend_packed(const Tensor& query, const KeysValues& memory,
                                     const Between& sentences) const {
  if (sentences.memory.starts.defined()) {
    const auto parts = memory.packed.chunk(2, 1);
    return attend_varlen(
        options_, split_heads(query, options_.head()), split_heads(parts[0], options_.head()),
        split_heads(parts[1], options_.head()), sentences, /*causal=*/false, is_training());
  }
  if (kernels::is_softmax(options_.normalise))
    return kernels::packed_attention(query, memory.packed,
                                     packed_heads(options_, sentences.queries, sentences.memory),
                                     /*causal=*/false, scale_of(options_));
  const auto heads = [this](const Tensor& padded) {
    return split_heads(padded, options_.head()).transpose(1, 2);
  };
  const auto parts = pad(memory.packed, sentences.memory).chunk(2, -1);
  const Tensor valid = real_positions(sentences.memory).unsqueeze(1).unsqueeze(1);
  const Tensor context = attend(heads(pad(query, sentences.queries)), heads(parts[0]),
                                heads(parts[1]), look_of(options_, valid, false, is_training()));
  return pack(join_heads(context), sentences.queries);
}

Tensor CrossAttention::forward(const Tensor& x, const KeysValues& memory, const Between& sentences,
                               Tensor* weights, Guided* guided,
                               const std::function<Tensor(const Tensor&)>& exchange) {
  const Tensor query = linear(*query_, x);
  if (guided != nullptr) guided->logs = logs_of_head(query, memory, sentences, guided->head);
  if (sentences.memory.packed()) return linear(*output_, attend_packed(query, memory, sentences));
  Look look = look_of(options_, sentences.memory.valid, false, is_training());
  look.exchange = exchange;
  const Tensor context = attend(split_heads(query, options_.head()).transpose(1, 2), memory.keys,
                                memory.values, look, weights);
  return linear(*output_, join_heads(context));
}

Tensor CrossAttention::step(const Tensor& x, const HeadsOfLayer& source, const Tensor& padding,
                            Tensor* weights) {
  Look look = look_of(options_, {}, false, is_training());
  look.added = padding;
  const Tensor query = split_heads(linear(*query_, x), options_.head());
  return linear(*output_, attend_beams(query, source.keys(), source.values(), look, weights));
}

}  // namespace heed::model
