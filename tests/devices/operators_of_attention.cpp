// Scaled dot-product attention with all that can be asked of it, linear attention, and whole layers
// of self-attention with each kind of positions.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "devices/inputs.h"
#include "kernels/normalisers/normaliser.h"
#include "kernels/varlen_attention.h"
#include "model/transformer/attention/linear.h"
#include "model/transformer/attention/scaled_dot_product.h"
#include "model/transformer/multi_head.h"
#include "model/transformer/positions/positions.h"

namespace heed::devices {
namespace {

constexpr int64_t kSentences = 3;

/// The inputs of an attention, and how it attends.
struct Shape {
  int64_t heads = 4, kv_heads = 4, queries = 9, keys = 9, head = 16;
  std::vector<int64_t> lengths = {};  // of the keys; empty: no padding
  bool causal = false;
  kernels::Pattern pattern = {};
  kernels::Normalise normalise = &kernels::softmax;
  bool added = false;    // numbers to the scores
  bool weights = false;  // the weights are wanted
};

struct Inputs {
  Tensors leaves;
  Tensor query, keys, values;
  model::AttentionMask masking;

  Inputs(const DevicePrecision& on, const Shape& shape) {
    Numbers numbers(on);
    query = numbers.leaf({kSentences, shape.heads, shape.queries, shape.head});
    keys = numbers.leaf({kSentences, shape.kv_heads, shape.keys, shape.head});
    values = numbers.leaf({kSentences, shape.kv_heads, shape.keys, shape.head});
    leaves = {{"query", query}, {"keys", keys}, {"values", values}};
    masking.pattern = shape.pattern;
    masking.pattern.causal = shape.causal;
    masking.normalise = shape.normalise;
    masking.scale = 1 / std::sqrt(static_cast<double>(shape.head));
    if (!shape.lengths.empty())
      masking.valid = first_of_rows(on, shape.lengths, shape.keys).unsqueeze(1).unsqueeze(1);
    if (shape.added)
      leaves["added"] = masking.added = numbers.leaf({1, shape.heads, shape.queries, shape.keys});
  }
};

Operator attention(const std::string& name, const Shape& shape) {
  const auto compute = [shape](const DevicePrecision& on) {
    const Inputs in(on, shape);
    return with_gradients(on, in.leaves, [&]() -> Tensors {
      Tensor weights;
      const Tensor context =
          attend(in.query.to(on.narrow()), in.keys.to(on.narrow()), in.values.to(on.narrow()),
                 in.masking, shape.weights ? &weights : nullptr);
      if (!shape.weights) return {{"context", context}};
      return {{"context", context}, {"weights", weights}};
    });
  };
  // Rounding moves weights to and from 0, where the gradients of the other normalisers jump.
  return {"attention." + name, compute, kernels::is_softmax(shape.normalise) ? Bounds{} : kInFp32};
}

Operator linear(const std::string& name, const Shape& shape, bool rotated = false) {
  const auto compute = [=](const DevicePrecision& on) {
    const Inputs in(on, shape);
    Tensor rotations;
    if (rotated) {
      const auto positions = model::make_positions("rotary", {.width = shape.heads * shape.head,
                                                              .heads = shape.heads,
                                                              .layers = 1,
                                                              .longest = shape.keys});
      settle(*positions, on);
      rotations = positions->rotations(0, shape.keys);
    }
    return with_gradients(on, in.leaves, [&]() -> Tensors {
      return {
          {"context", model::linear_attention(in.query.to(on.narrow()), in.keys.to(on.narrow()),
                                              in.values.to(on.narrow()), in.masking, rotations)}};
    });
  };
  return {"attention.linear" + name, compute};
}

/// Sentences without padding, one after the other.
struct Unpadded {
  std::vector<int64_t> queries = {9, 4, 7}, keys = {9, 4, 7};
  int64_t heads = 4, kv_heads = 4, head = 16;
  bool causal = false;
  int64_t window = 0;
};

kernels::VarlenSentences sentences_of(const DevicePrecision& on,
                                      const std::vector<int64_t>& lengths) {
  std::vector<int32_t> starts{0};
  for (const int64_t length : lengths)
    starts.push_back(starts.back() + static_cast<int32_t>(length));
  return {put(on, at::tensor(at::ArrayRef<int32_t>(starts), at::kInt)),
          *std::ranges::max_element(lengths)};
}

/// Each sentence by itself, as attend() has it: for the judge, and where there is no kernel.
Tensor one_by_one(const Tensor& query, const Tensor& keys, const Tensor& values,
                  const Unpadded& sizes, double scale) {
  std::vector<Tensor> contexts;
  int64_t first = 0, first_key = 0;
  for (std::size_t i = 0; i < sizes.queries.size(); ++i) {
    const auto part = [](const Tensor& x, int64_t begin, int64_t length) {
      return x.narrow(0, begin, length).transpose(0, 1).unsqueeze(0);
    };
    const Tensor context = model::attend(
        part(query, first, sizes.queries[i]), part(keys, first_key, sizes.keys[i]),
        part(values, first_key, sizes.keys[i]),
        {.pattern = {.window = sizes.window, .causal = sizes.causal}, .scale = scale});
    contexts.push_back(context.squeeze(0).transpose(0, 1));
    first += sizes.queries[i];
    first_key += sizes.keys[i];
  }
  return at::cat(contexts);
}

Operator unpadded(const std::string& name, const Unpadded& sizes) {
  const auto compute = [sizes](const DevicePrecision& on) {
    const auto sum = [](const std::vector<int64_t>& all) {
      return std::accumulate(all.begin(), all.end(), int64_t{0});
    };
    Numbers numbers(on);
    const Tensor query = numbers.leaf({sum(sizes.queries), sizes.heads, sizes.head}),
                 keys = numbers.leaf({sum(sizes.keys), sizes.kv_heads, sizes.head}),
                 values = numbers.leaf({sum(sizes.keys), sizes.kv_heads, sizes.head});
    const double scale = 1 / std::sqrt(static_cast<double>(sizes.head));
    const Tensors leaves{{"query", query}, {"keys", keys}, {"values", values}};
    return with_gradients(on, leaves, [&]() -> Tensors {
      const Tensor q = query.to(on.narrow()), k = keys.to(on.narrow()), v = values.to(on.narrow());
      if (!kernels::has_varlen_attention(on.device, {on.narrow(), sizes.head, sizes.window > 0}))
        return {{"context", one_by_one(q, k, v, sizes, scale)}};
      return {{"context",
               kernels::varlen_attention(
                   q, k, v, sentences_of(on, sizes.queries), sentences_of(on, sizes.keys),
                   {.pattern = {.window = sizes.window, .causal = sizes.causal}, .scale = scale})}};
    });
  };
  return {"attention.unpadded" + name, compute};
}

/// Projections, rotations, added scores, heads: of an encoder and of a decoder.
Operator self_attention(const model::PositionsKindInfo& kind, int64_t kv_heads) {
  const auto compute = [kind, kv_heads](const DevicePrecision& on) {
    constexpr int64_t kWidth = 32, kHeads = 4, kLength = 9;
    Numbers numbers(on);
    const Tensor x = numbers.leaf({kSentences, kLength, kWidth});
    Tensors leaves{{"x", x}};
    std::vector<model::SelfAttentionPtr> layers;
    for (const bool causal : {false, true}) {
      at::manual_seed(3);
      const auto positions = model::make_positions(
          kind.name,
          {.width = kWidth, .heads = kHeads, .layers = 1, .longest = kLength, .causal = causal});
      settle(*positions, on);
      layers.push_back(
          model::make_self_attention(model::MultiHeadOptions{.width = kWidth,
                                                             .heads = kHeads,
                                                             .kv_heads = kv_heads,
                                                             .pattern = {.causal = causal}},
                                     {.positions = positions}));
      settle(*layers.back(), on);
      const std::string of = causal ? "decoder." : "encoder.";
      for (const auto& [name, weight] : parameters_of(*layers.back()))
        leaves.emplace(of + name, weight);
      for (const auto& [name, weight] : parameters_of(*positions))
        leaves.emplace(of + "positions." + name, weight);
    }
    const Tensor valid = first_of_rows(on, {9, 4, 7}, kLength).unsqueeze(1).unsqueeze(1);
    return with_gradients(on, leaves, [&]() -> Tensors {
      return {{"encoder", layers[0]->forward(x, {.valid = valid}, nullptr)},
              {"decoder", layers[1]->forward(x, {}, nullptr)}};
    });
  };
  return {"self_attention." + std::string(kind.name) + (kv_heads > 0 ? "_grouped" : ""), compute};
}

}  // namespace

std::vector<Operator> attention_operators() {
  const std::vector<int64_t> lengths{9, 4, 7}, long_lengths{100, 41, 77};
  const kernels::Pattern window{.window = 5};
  const kernels::Pattern sparse{.window = 3, .global = 2, .stride = 7};
  std::vector<Operator> all{
      attention("whole", {}),
      attention("padded", {.lengths = lengths}),
      attention("causal", {.causal = true}),
      attention("cross", {.queries = 5, .lengths = lengths}),
      attention("one_query", {.queries = 1, .lengths = lengths}),
      attention("odd_heads", {.heads = 3, .kv_heads = 3, .head = 7, .lengths = lengths}),
      attention("wide_heads", {.heads = 2, .kv_heads = 2, .head = 128, .causal = true}),
      attention("long", {.queries = 150, .keys = 150, .head = 64, .lengths = {150, 31, 129}}),
      attention("long_causal", {.queries = 150, .keys = 150, .head = 64, .causal = true}),
      attention("grouped", {.kv_heads = 2, .lengths = lengths}),
      attention("grouped_causal", {.kv_heads = 2, .causal = true}),
      attention("one_head_of_keys", {.kv_heads = 1, .lengths = lengths}),
      attention("added_scores", {.lengths = lengths, .added = true}),
      attention("added_scores_causal", {.causal = true, .added = true}),
      attention("weights", {.queries = 5, .lengths = lengths, .weights = true}),
      attention("short_window", {.lengths = lengths, .pattern = {.window = 2}}),
      attention("window",
                {.queries = 100, .keys = 100, .lengths = long_lengths, .pattern = window}),
      attention("window_causal", {.queries = 100, .keys = 100, .causal = true, .pattern = window}),
      attention("sparse",
                {.queries = 100, .keys = 100, .lengths = long_lengths, .pattern = sparse}),
      attention("sparse_causal", {.queries = 100, .keys = 100, .causal = true, .pattern = sparse}),
      linear("", {.lengths = lengths}),
      linear("_causal", {.causal = true}),
      linear("_grouped", {.kv_heads = 2, .lengths = lengths}),
      linear("_rotary", {.causal = true}, true),
      unpadded("", {}),
      unpadded("_causal", {.causal = true}),
      unpadded("_cross", {.queries = {5, 9, 1}}),
      unpadded("_grouped", {.kv_heads = 2}),
      unpadded("_window", {.window = 2}),
      unpadded("_window_causal", {.causal = true, .window = 2}),
      unpadded("_long", {.queries = {150, 31, 129}, .keys = {150, 31, 129}, .head = 64})};
  for (const kernels::Normaliser& one : kernels::normalisers())
    if (!kernels::is_softmax(one.normalise))
      all.push_back(
          attention(one.name, {.queries = 5, .lengths = lengths, .normalise = one.normalise}));
  for (const model::PositionsKindInfo& kind : model::positions_kinds()) {
    all.push_back(self_attention(kind, 0));
    if (kind.effect == model::PositionsEffect::kAddsScores) all.push_back(self_attention(kind, 2));
  }
  return all;
}

}  // namespace heed::devices
