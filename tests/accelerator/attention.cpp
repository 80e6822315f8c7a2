// Attention over sentences without padding, as LibTorch's kernels for CUDA compute it, in plain
// steps: what aten::_flash_attention_* and aten::_efficient_attention_* are on the simulated
// accelerator. They refuse what the real ones refuse or compute wrongly; LibTorch's own derivatives
// call them.
#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/_efficient_attention_backward_ops.h>
#include <ATen/ops/_efficient_attention_forward_ops.h>
#include <ATen/ops/_flash_attention_backward_ops.h>
#include <ATen/ops/_flash_attention_forward_ops.h>
#include <torch/library.h>

#include <atomic>
#include <limits>
#include <optional>
#include <tuple>
#include <vector>

#include "accelerator/as_declared.h"
#include "accelerator/graphs.h"
#include "accelerator/internal.h"

namespace heed::accelerator {
namespace {

using at::Tensor;
using at::indexing::Slice;
using Optional = std::optional<Tensor>;
using OptionalInt = std::optional<c10::SymInt>;

/// The rules from which the attention weights of all sentences follow.
struct Rules {
  bool causal = false;
  double scale = 1, dropout = 0;
  std::optional<int64_t> left, right;  // how far a query sees
  int64_t seed = 0;                    // of dropout

  /// [queries, keys] bool
  Tensor seen(int64_t queries, int64_t keys) const {
    Tensor out = at::ones({queries, keys}, at::kBool);
    if (causal) out = out.tril();
    if (left) out = out.triu(-*left);
    if (right) out = out.tril(*right);
    return out;
  }
};

/// One sentence of tensors [positions, heads, head], as fp32 [heads, length, head].
struct Part {
  Tensor query, keys, values;
  Slice queries_at, keys_at;
};

Tensor rows_of(const Tensor& x, const Slice& rows, int64_t heads = 0) {
  const Tensor part = x.index({rows}).to(at::kFloat).transpose(0, 1);
  return heads == 0 ? part : part.repeat_interleave(heads / part.size(0), 0);
}

/// Calls work(part, weights [heads, queries, keys], shares: the weights after dropout).
template <class Work>
void for_each_sentence(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& starts_q,
                       const Tensor& starts_k, const Rules& rules, const Work& work) {
  TORCH_CHECK(starts_q.scalar_type() == at::kInt && starts_k.scalar_type() == at::kInt,
              "starts are int32");
  TORCH_CHECK(starts_q.numel() == starts_k.numel(), "as many sentences on both sides");
  at::Generator generator =
      at::make_generator<at::CPUGeneratorImpl>(static_cast<uint64_t>(rules.seed));
  const int *a = starts_q.const_data_ptr<int>(), *b = starts_k.const_data_ptr<int>();
  const int64_t sentences = starts_q.numel() - 1;
  TORCH_CHECK(a[sentences] == q.size(0) && b[sentences] == k.size(0), "all positions");
  for (int64_t i = 0; i < sentences; ++i) {
    const Slice queries(a[i], a[i + 1]), keys(b[i], b[i + 1]);
    const Part part{rows_of(q, queries), rows_of(k, keys, q.size(1)), rows_of(v, keys, q.size(1)),
                    queries, keys};
    const Tensor hidden = rules.seen(part.query.size(1), part.keys.size(1)).logical_not();
    const Tensor weights =
        at::softmax((at::matmul(part.query, part.keys.transpose(1, 2)) * rules.scale)
                        .masked_fill(hidden, -std::numeric_limits<double>::infinity()),
                    -1);
    Tensor kept = at::ones_like(weights);
    if (rules.dropout > 0) kept.bernoulli_(1 - rules.dropout, generator).div_(1 - rules.dropout);
    work(part, weights, kept);
  }
}

Tensor context_of(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& starts_q,
                  const Tensor& starts_k, const Rules& rules) {
  Tensor out = at::empty(q.sizes(), q.options());
  for_each_sentence(
      q, k, v, starts_q, starts_k, rules,
      [&](const Part& part, const Tensor& weights, const Tensor& kept) {
        out.index_put_(
            {part.queries_at},
            at::matmul(weights * kept, part.values).transpose(0, 1).to(out.scalar_type()));
      });
  return out;
}

struct GradientsOf {
  Tensor q, k, v;
};

GradientsOf gradients_of(const Tensor& outer, const Tensor& q, const Tensor& k, const Tensor& v,
                         const Tensor& starts_q, const Tensor& starts_k, const Rules& rules) {
  GradientsOf out{at::empty_like(q), at::empty_like(k), at::empty_like(v)};
  const auto put = [](Tensor& into, const Slice& rows, const Tensor& each_head) {
    const int64_t shared = into.size(1);  // by so many heads each
    into.index_put_(
        {rows}, each_head.unflatten(0, {shared, -1}).sum(1).transpose(0, 1).to(into.scalar_type()));
  };
  for_each_sentence(q, k, v, starts_q, starts_k, rules,
                    [&](const Part& part, const Tensor& weights, const Tensor& kept) {
                      const Tensor g = rows_of(outer, part.queries_at);
                      const Tensor of_weights = at::matmul(g, part.values.transpose(1, 2)) * kept;
                      const Tensor of_scores = weights *
                                               (of_weights - (weights * of_weights).sum(-1, true)) *
                                               rules.scale;
                      put(out.q, part.queries_at, at::matmul(of_scores, part.keys));
                      put(out.k, part.keys_at, at::matmul(of_scores.transpose(1, 2), part.query));
                      put(out.v, part.keys_at, at::matmul((weights * kept).transpose(1, 2), g));
                    });
  return out;
}

Tensor on_device(const Tensor& host) {
  Tensor out = at::empty(host.sizes(), host.options().device(device()));
  as_cpu(out).copy_(host);
  return out;
}

Rules with_seed(Rules rules, int64_t seed) {
  rules.seed = seed;
  return rules;
}

int64_t drawn_seed() {
  return at::randint(int64_t{1} << 40, {1}, default_generator(), at::kLong).item<int64_t>();
}

using Tensors = std::vector<Tensor>;

/// The tensors as the device's operations see them.
Tensors on_cpu(const Tensors& tensors) {
  Tensors out;
  for (const Tensor& tensor : tensors) out.push_back(as_cpu(tensor));
  return out;
}

std::optional<int64_t> plain(OptionalInt value) {
  return value ? std::optional(value->expect_int()) : std::nullopt;
}

std::atomic<int64_t> flash_calls = 0, efficient_calls = 0;

// --- FlashAttention

void check_flash(const Tensor& q, const Tensor& k, const Tensor& v) {
  const bool half = q.scalar_type() == at::kBFloat16 || q.scalar_type() == at::kHalf;
  TORCH_CHECK(half && k.scalar_type() == q.scalar_type() && v.scalar_type() == q.scalar_type(),
              "FlashAttention is of bf16 and fp16");
  TORCH_CHECK(q.dim() == 3 && q.size(2) % 8 == 0 && q.size(2) <= 256, "the width of a head");
  TORCH_CHECK(q.size(1) % k.size(1) == 0, "the kv heads divide the heads");
  for (const Tensor* x : {&q, &k, &v})
    TORCH_CHECK(x->stride(2) == 1 && x->stride(0) % 8 == 0, "rows are read 16 bytes at a time");
}

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> flash_forward(
    const Tensor& query, const Tensor& key, const Tensor& value, const Optional& starts_q,
    const Optional& starts_k, c10::SymInt, c10::SymInt, double dropout, bool causal, bool,
    std::optional<double> scale, OptionalInt left, OptionalInt right, const Optional& used,
    const Optional& slopes) {
  TORCH_CHECK(starts_q && starts_k && !used && !slopes, "what has no right derivative");
  ++flash_calls;
  const Rules rules{causal, scale.value(), dropout, plain(left), plain(right)};
  const auto compute = [rules](const Tensors& tensors) -> Tensors {
    const Tensors in = on_cpu(tensors);
    const Tensor &q = in[0], &k = in[1], &v = in[2];
    check_flash(q, k, v);
    const int64_t seed = drawn_seed();
    return {on_device(context_of(q, k, v, in[3], in[4], with_seed(rules, seed))),
            on_device(at::zeros({q.size(1), q.size(0)})), on_device(at::full({2}, seed, at::kLong)),
            on_device(at::zeros({}, at::kLong)), on_device(at::empty({0}))};
  };
  const Tensors out = recorded_results({query, key, value, *starts_q, *starts_k}, compute);
  return {out[0], out[1], out[2], out[3], out[4]};
}

std::tuple<Tensor, Tensor, Tensor> flash_backward(
    const Tensor& outer, const Tensor& query, const Tensor& key, const Tensor& value, const Tensor&,
    const Tensor&, const Tensor& starts_q, const Tensor& starts_k, c10::SymInt, c10::SymInt,
    double dropout, bool causal, const Tensor& state, const Tensor&, std::optional<double> scale,
    OptionalInt left, OptionalInt right) {
  const Rules rules{causal, scale.value(), dropout, plain(left), plain(right)};
  const auto compute = [rules](const Tensors& tensors) -> Tensors {
    const Tensors in = on_cpu(tensors);
    check_flash(in[1], in[2], in[3]);
    const GradientsOf all = gradients_of(in[0], in[1], in[2], in[3], in[4], in[5],
                                         with_seed(rules, in[6][0].item<int64_t>()));
    return {on_device(all.q), on_device(all.k), on_device(all.v)};
  };
  const Tensors out =
      recorded_results({outer, query, key, value, starts_q, starts_k, state}, compute);
  return {out[0], out[1], out[2]};
}

// --- memory-efficient attention: [1, positions, heads, head]

void check_efficient(const Tensor& q, const Tensor& k, const Tensor& v) {
  const int64_t alignment = q.scalar_type() == at::kFloat ? 4 : 8;
  TORCH_CHECK(q.dim() == 4 && q.size(0) == 1 && q.size(3) % alignment == 0, "the width of a head");
  TORCH_CHECK(q.size(2) == k.size(2) && q.size(2) == v.size(2), "as many heads on both sides");
  for (const Tensor* x : {&q, &k, &v})
    TORCH_CHECK(x->stride(3) == 1 && x->stride(1) % alignment == 0, "rows are read in vectors");
}

std::tuple<Tensor, Tensor, Tensor, Tensor, c10::SymInt, c10::SymInt> efficient_forward(
    const Tensor& query, const Tensor& key, const Tensor& value, const Optional& bias,
    const Optional& starts_q, const Optional& starts_k, OptionalInt longest_q,
    OptionalInt longest_k, double dropout, int64_t mask, bool logsumexp,
    std::optional<double> scale, const Optional& used, std::optional<int64_t> window) {
  TORCH_CHECK(starts_q && starts_k && !bias && !used && !window, "what has no right derivative");
  TORCH_CHECK(logsumexp, "without which there is no derivative");
  ++efficient_calls;
  const Rules rules{mask == 1, scale.value(), dropout, {}, {}};
  const auto compute = [rules](const Tensors& tensors) -> Tensors {
    const Tensors in = on_cpu(tensors);
    const Tensor &q = in[0], &k = in[1], &v = in[2];
    check_efficient(q, k, v);
    const int64_t seed = drawn_seed();
    const Tensor context =
        context_of(q.squeeze(0), k.squeeze(0), v.squeeze(0), in[3], in[4], with_seed(rules, seed));
    return {on_device(context.unsqueeze(0)),
            on_device(at::zeros({in[3].numel() - 1, q.size(2), q.size(1)})),
            on_device(at::full({}, seed, at::kLong)), on_device(at::zeros({}, at::kLong))};
  };
  const Tensors out = recorded_results({query, key, value, *starts_q, *starts_k}, compute);
  return {out[0], out[1], out[2], out[3], longest_q.value(), longest_k.value()};
}

std::tuple<Tensor, Tensor, Tensor, Tensor> efficient_backward(
    const Tensor& outer, const Tensor& query, const Tensor& key, const Tensor& value,
    const Optional&, const Tensor&, const Optional& starts_q, const Optional& starts_k, c10::SymInt,
    c10::SymInt, const Tensor&, double dropout, const Tensor& seed, const Tensor&, int64_t mask,
    bool, std::optional<double> scale, std::optional<int64_t>, std::optional<int64_t>, bool) {
  const Rules rules{mask == 1, scale.value(), dropout, {}, {}};
  const auto compute = [rules](const Tensors& tensors) -> Tensors {
    const Tensors in = on_cpu(tensors);
    check_efficient(in[1], in[2], in[3]);
    const GradientsOf all =
        gradients_of(in[0].squeeze(0), in[1].squeeze(0), in[2].squeeze(0), in[3].squeeze(0), in[4],
                     in[5], with_seed(rules, in[6].item<int64_t>()));
    return {on_device(all.q.unsqueeze(0)), on_device(all.k.unsqueeze(0)),
            on_device(all.v.unsqueeze(0))};
  };
  const Tensors out =
      recorded_results({outer, query, key, value, *starts_q, *starts_k, seed}, compute);
  return {out[0], out[1], out[2], Tensor()};
}

using FlashForward = AsDeclared<at::_ops::_flash_attention_forward::schema, flash_forward>;
using FlashBackward = AsDeclared<at::_ops::_flash_attention_backward::schema, flash_backward>;
using EfficientForward =
    AsDeclared<at::_ops::_efficient_attention_forward::schema, efficient_forward>;
using EfficientBackward =
    AsDeclared<at::_ops::_efficient_attention_backward::schema, efficient_backward>;

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("_flash_attention_forward", TORCH_FN(FlashForward::call));
  m.impl("_flash_attention_backward", TORCH_FN(FlashBackward::call));
  m.impl("_efficient_attention_forward", TORCH_FN(EfficientForward::call));
  m.impl("_efficient_attention_backward", TORCH_FN(EfficientBackward::call));
}

}  // namespace

VarlenCalls varlen_calls() {
  return {flash_calls, efficient_calls};
}

}  // namespace heed::accelerator
