#include "model/transformer/attention/linear.h"

#include <ATen/ATen.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/error.h"
#include "kernels/autograd.h"
#include "kernels/tensor.h"
#include "model/transformer/attention/attention.h"
#include "model/transformer/positions/positions.h"
#include "model/transformer/sentences.h"

namespace heed::model {
namespace {

constexpr int64_t kChunk = 64;  // queries whose keys are looked at one by one

// The smallest x of f: fp32 can still tell e^-40 e^-40, a product of two such numbers, from 0.
constexpr double kLeast = -40;

/// f(x) = elu(x) + 1, as x + 1 above 0 and e^x below: e^x - 1 + 1 would be 0 in fp32 from -17 on.
class Feature : public torch::autograd::Function<Feature> {
 public:
  static Tensor forward(kernels::AutogradContext* context, const Tensor& x) {
    const Tensor f = at::clamp(x, kLeast, 0).exp_().add_(x.clamp_min(0));
    context->save_for_backward({f});
    return f;
  }

  /// f'(x) is 1 above 0, where f(x) > 1, and f(x) below.
  static kernels::tensor_list backward(kernels::AutogradContext* context,
                                       const kernels::tensor_list& outer) {
    return {outer[0] * context->get_saved_variables()[0].clamp_max(1)};
  }
};

Tensor feature(const Tensor& x) {
  return Feature::apply(kernels::widened(x));
}

/// f(x) [batch, heads, length, head], and the same turned by the positions' angles.
struct Features {
  Tensor plain, turned;  // turned: undefined without rotations

  Features(const Tensor& features, const Tensor& rotations, int64_t heads)
      : plain(for_each_head(features, heads)) {
    if (rotations.defined()) turned = model::turned(plain, rotations);
  }
  const Tensor& above() const { return turned.defined() ? turned : plain; }
};

/// [..., length, d] -> [..., chunks, kChunk, d], filled up with zeros, which add nothing to a sum.
Tensor in_chunks(const Tensor& x) {
  const int64_t length = x.size(-2), whole = (length + kChunk - 1) / kChunk * kChunk;
  return at::constant_pad_nd(x, {0, 0, 0, whole - length}).unflatten(-2, {-1, kChunk});
}

/// sums() of each query over the keys up to its own position: those of its chunk by a triangle of
/// products, those of the chunks before by their running sum.
Tensor causal_sums(const Tensor& query, const Tensor& keys, const Tensor& values) {
  const Tensor q = in_chunks(query), k = in_chunks(keys), v = in_chunks(values);
  const Tensor near = at::matmul(at::matmul(q, k.transpose(-1, -2)).tril(), v);
  const Tensor each = at::matmul(k.transpose(-1, -2), v);  // [batch, heads, chunks, d, d]
  const int64_t chunks = each.size(2);
  const Tensor none = at::zeros_like(each.narrow(2, 0, 1));
  const Tensor before = at::cat({none, each.narrow(2, 0, chunks - 1).cumsum(2)}, 2);
  return (near + at::matmul(q, before)).flatten(2, 3).narrow(2, 0, query.size(2));
}

/// sum over j of (q(i) . k(j)) v(j): [batch, heads, query, head]
Tensor sums(const Tensor& query, const Tensor& keys, const Tensor& values, bool causal) {
  return causal ? causal_sums(query, keys, values)
                : at::matmul(query, at::matmul(keys.transpose(-1, -2), values));
}

/// sum over j of q(i) . k(j): [batch, heads, query, 1]
Tensor counts(const Tensor& query, const Tensor& keys, bool causal) {
  return (query * (causal ? keys.cumsum(-2) : keys.sum(-2, true))).sum(-1, true);
}

/// The contexts, sums() / counts().
Tensor means(const Features& q, const Features& k, const Tensor& values, bool causal) {
  if (q.turned.defined())
    return sums(q.turned, k.turned, values, causal) / counts(q.plain, k.plain, causal);
  // The counts are the sums of values of 1, which is faster.
  auto shape = values.sizes().vec();
  shape.back() = 1;
  const Tensor with_one = at::cat({values, at::ones(shape, values.options())}, -1);
  const Tensor both = sums(q.plain, k.plain, with_one, causal);
  const int64_t width = values.size(-1);
  return both.narrow(-1, 0, width) / both.narrow(-1, width, 1);
}

/// The weights a(i,j) as a matrix [batch, heads, query, keys].
Tensor shares(const Features& q, const Features& k, bool causal) {
  const Tensor all = at::matmul(q.above(), k.above().transpose(-1, -2));
  return (causal ? all.tril() : all) / counts(q.plain, k.plain, causal);
}

class Linear : public SelfAttention {
 public:
  using SelfAttention::SelfAttention;

  /// The sums of keys, [sentences, beam, kv heads, head], and those of products, [sentences, beam,
  /// kv heads, head, head].
  std::size_t carried() const override { return 2; }

 protected:
  Tensor padded(const Tensor& projected, const SentenceLayout& sentences,
                Tensor* weights) override {
    const auto heads = parts_of(projected);
    const AttentionMask masking{.valid = sentences.valid, .pattern = options_.pattern};
    return join_heads(linear_attention(heads[0].transpose(1, 2), heads[1].transpose(1, 2),
                                       heads[2].transpose(1, 2), masking,
                                       positions_->rotations(0, projected.size(1)), weights));
  }

  Tensor step_of_state(const Tensor& projected, std::span<Tensor> state, int64_t position,
                       Tensor* weights) override {
    expect(!weights, "the sums of linear attention tell no weights");
    const at::IntArrayRef hypotheses = projected.sizes().slice(0, 2);  // sentences, beam
    const auto heads = parts_of(projected.flatten(0, 1));
    LinearSums sums;
    if (state[0].defined()) sums = {state[1].flatten(0, 1), state[0].flatten(0, 1)};
    const Tensor context =
        linear_step(heads[0], heads[1], heads[2], sums, positions_->rotations(position, 1));
    state[0] = sums.keys.unflatten(0, hypotheses);
    state[1] = sums.products.unflatten(0, hypotheses);
    return context.flatten(1).unflatten(0, hypotheses);
  }

 private:
  /// Queries, keys and values: [..., heads, head] or [..., kv heads, head].
  std::vector<Tensor> parts_of(const Tensor& projected) const {
    const int64_t count = options_.count(), kv = options_.kv();
    return split_heads(projected, options_.head()).split_with_sizes({count, kv, kv}, -2);
  }
};

}  // namespace

Tensor linear_attention(const Tensor& query, const Tensor& keys, const Tensor& values,
                        const AttentionMask& masking, const Tensor& rotations, Tensor* weights) {
  expect(!masking.added.defined(), "linear attention has no scores to add to");
  const kernels::WithoutAutocast guard;
  const int64_t heads = query.size(1);
  Tensor features = feature(keys);
  if (masking.valid.defined())
    features = features * masking.valid.transpose(2, 3).to(features.scalar_type());
  const Features q(feature(query), rotations, heads), k(features, rotations, heads);
  const Tensor v = for_each_head(kernels::widened(values), heads);
  if (!weights) return means(q, k, v, masking.pattern.causal).to(values.scalar_type());
  const Tensor all = shares(q, k, masking.pattern.causal);
  *weights = all.to(at::kFloat);
  return at::matmul(all, v).to(values.scalar_type());
}

Tensor linear_step(const Tensor& query, const Tensor& key, const Tensor& value, LinearSums& so_far,
                   const Tensor& rotations) {
  const kernels::WithoutAutocast guard;
  const int64_t heads = query.size(1);
  const Features q(feature(query), rotations, heads), k(feature(key), rotations, key.size(1));
  const Tensor product = k.above().unsqueeze(-1) * kernels::widened(value).unsqueeze(-2);
  so_far.products = so_far.products.defined() ? so_far.products + product : product;
  so_far.keys = so_far.keys.defined() ? so_far.keys + k.plain : k.plain;
  const Tensor above =
      at::matmul(q.above().unsqueeze(-2), for_each_head(so_far.products, heads)).squeeze(-2);
  const Tensor below = (q.plain * for_each_head(so_far.keys, heads)).sum(-1, true);
  return (above / below).to(value.scalar_type());
}

SelfAttentionPtr make_linear(const MultiHeadOptions& options, const LayerIndex& index) {
  return std::make_shared<Linear>(options, index);
}

}  // namespace heed::model
