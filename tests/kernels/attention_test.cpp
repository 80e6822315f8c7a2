#include "kernels/attention.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <cstdlib>
#include <vector>

#include "kernels/distance.h"
#include "kernels/rows/matrix.h"
#include "model/transformer/attention/scaled_dot_product.h"

namespace heed::kernels {
namespace {

using model::attend;

TEST(SmallProduct, IsTheProduct) {
  at::manual_seed(1);
  for (const int64_t rows : {1, 2, 5, 6, 13})
    for (const int64_t width : {16, 48, 64}) {
      const Tensor a = at::randn({rows, 7}), b = at::randn({7, width}),
                   c = at::randn({rows, width});
      const Tensor turned = a.t().contiguous(), expected = at::mm(a, b);
      Tensor got = c.clone();
      SmallProduct product{.a = {a.data_ptr<float>(), 7},
                           .b = {b.data_ptr<float>(), width},
                           .c = {got.data_ptr<float>(), width},
                           .rows = rows,
                           .inner = 7,
                           .width = width};
      multiply(product);
      EXPECT_LT(distance(got, expected), 1e-5) << rows << " x " << width;
      product.a = {turned.data_ptr<float>(), 1, rows};
      product.add = true;
      multiply(product);
      EXPECT_LT(distance(got, 2 * expected), 1e-5) << rows << " x " << width << ", transposed";
    }
}

struct Shape {
  const char* name;
  int64_t batch, heads, kv_heads, queries, keys, head;
  bool causal;
  std::vector<int64_t> lengths;  // of the keys; none: no mask
};
void PrintTo(const Shape& shape, std::ostream* out) {
  *out << shape.name;
}

class AttentionKernel : public ::testing::TestWithParam<Shape> {
 protected:
  void SetUp() override {
    const Shape& shape = GetParam();
    at::manual_seed(2);
    // Heads as a projection gives them: side by side in one tensor.
    const auto heads = [&](int64_t length, int64_t count) {
      return at::randn({shape.batch, length, count + 1, shape.head})
          .narrow(2, 0, count)
          .transpose(1, 2);
    };
    query = heads(shape.queries, shape.heads);
    keys = heads(shape.keys, shape.kv_heads);
    values = heads(shape.keys, shape.kv_heads);
    if (!shape.lengths.empty())
      valid = (at::arange(shape.keys) < at::tensor(shape.lengths).unsqueeze(1))
                  .unsqueeze(1)
                  .unsqueeze(1);
  }

  struct Result {
    Tensor context, to_query, to_keys, to_values;
  };
  /// The results of `run` for inputs of `type`, and the gradients of a random sum of it.
  template <class Run>
  Result of(at::ScalarType type, const Run& run) const {
    std::vector<Tensor> leaves;
    for (const Tensor& x : {query, keys, values})
      leaves.push_back(x.to(at::kBFloat16).to(type).requires_grad_());
    const Tensor context = run(leaves[0], leaves[1], leaves[2]);
    at::manual_seed(3);
    const Tensor random = at::randn(context.sizes()).to(at::kBFloat16);
    const auto gradients = torch::autograd::grad({context}, leaves, {random.to(type)});
    return {context, gradients[0], gradients[1], gradients[2]};
  }

  Result fused(at::ScalarType type) const {
    return of(type, [&](const Tensor& q, const Tensor& k, const Tensor& v) {
      return attention(q, k, v, valid, {.causal = GetParam().causal}, scale);
    });
  }
  Result plain() const {
    return of(at::kDouble, [&](const Tensor& q, const Tensor& k, const Tensor& v) {
      Tensor weights;
      return attend(q, k, v,
                    {.valid = valid, .pattern = {.causal = GetParam().causal}, .scale = scale},
                    &weights);
    });
  }
  static void expect_near(const Result& got, const Result& want, double tolerance) {
    EXPECT_LT(distance(got.context, want.context), tolerance);
    EXPECT_LT(distance(got.to_query, want.to_query), tolerance);
    EXPECT_LT(distance(got.to_keys, want.to_keys), tolerance);
    EXPECT_LT(distance(got.to_values, want.to_values), tolerance);
  }

  Tensor query, keys, values, valid;
  const double scale = 0.4;
};

TEST_P(AttentionKernel, EqualsThePlainSteps) {
  expect_near(fused(at::kFloat), plain(), 1e-5);
}

TEST_P(AttentionKernel, InBfloat16RoundsOnlyWhatItReadsAndWrites) {
  expect_near(fused(at::kBFloat16), plain(), 0.03);
}

INSTANTIATE_TEST_SUITE_P(Shapes, AttentionKernel,
                         ::testing::Values(Shape{"odd", 3, 2, 2, 5, 7, 3, false, {}},
                                           Shape{"padded", 3, 2, 2, 5, 7, 16, false, {7, 1, 4}},
                                           Shape{"causal", 2, 3, 3, 7, 7, 5, true, {}},
                                           Shape{"grouped", 2, 6, 2, 3, 5, 7, false, {5, 3}},
                                           Shape{
                                               "one_query_head_pair", 1, 1, 1, 2, 1, 1, false, {}},
                                           Shape{"blocks", 2, 2, 1, 101, 113, 17, false, {113, 64}},
                                           Shape{"causal_blocks", 1, 2, 2, 131, 131, 32, true, {}}),
                         [](const auto& info) { return info.param.name; });

TEST(AttentionKernelMask, HolesAreSkippedAndPaddingMayHoldAnything) {
  at::manual_seed(4);
  const Tensor query = at::randn({1, 1, 3, 4}), keys = at::randn({1, 1, 5, 4});
  Tensor values = at::randn({1, 1, 5, 4});
  const Tensor valid = at::tensor({1, 0, 1, 1, 0}).to(at::kBool).view({1, 1, 1, 5});
  Tensor weights;
  const Tensor expected = attend(query, keys, values, {.valid = valid, .scale = 0.5}, &weights);
  values[0][0][4].fill_(NAN);
  EXPECT_LT(distance(attention(query, keys, values, valid, {}, 0.5), expected), 1e-6);
}

struct DistanceCase {
  const char* name;
  int64_t heads, kv_heads, reach;
  bool each, causal;  // each query has numbers of its own
  Pattern pattern = {};
};
void PrintTo(const DistanceCase& one, std::ostream* out) {
  *out << one.name;
}

/// [length, length] bool: by its definition.
Tensor seen(const Pattern& pattern, int64_t length) {
  Tensor out = at::zeros({length, length}, at::kBool);
  for (int64_t i = 0; i < length; ++i)
    for (int64_t s = 0; s < length; ++s)
      out[i][s] = std::abs(i - s) <= pattern.window || i < pattern.global || s < pattern.global ||
                  (pattern.stride > 0 && std::abs(i - s) % pattern.stride == 0);
  return out;
}

class AttentionByDistance : public ::testing::TestWithParam<DistanceCase> {};

TEST_P(AttentionByDistance, AddsTheNumberOfEachDistance) {
  const DistanceCase& one = GetParam();
  constexpr int64_t kHead = 3;
  constexpr double kScale = 0.4;
  const UnpaddedHeads heads{.query_lengths = {5, 1, 70},
                            .key_lengths = {5, 1, 70},
                            .heads = one.heads,
                            .kv_heads = one.kv_heads,
                            .head = kHead};
  at::manual_seed(6);
  const Tensor x = at::randn({76, (one.heads + 2 * one.kv_heads) * kHead}).requires_grad_();
  const Tensor numbers =
      at::randn({one.each ? 76 : 1, one.heads, 2 * one.reach + 1}).requires_grad_();
  const Tensor outer = at::randn({76, one.heads * kHead});
  Pattern pattern = one.pattern;
  pattern.causal = one.causal;
  const Tensor got = unpadded_attention(x, x, heads, pattern, kScale, {numbers});
  const auto gradients = torch::autograd::grad({got}, {x, numbers}, {outer});

  const Tensor wide = x.detach().to(at::kDouble).requires_grad_(),
               wide_numbers = numbers.detach().to(at::kDouble).requires_grad_();
  std::vector<Tensor> contexts;
  for (int64_t first = 0; const int64_t length : heads.query_lengths) {
    const Tensor rows = wide.narrow(0, first, length);
    const auto columns = [&](int64_t from, int64_t count) {  // [heads, length, head]
      return rows.narrow(1, from * kHead, count * kHead)
          .unflatten(1, {count, kHead})
          .transpose(0, 1);
    };
    const int64_t group = one.heads / one.kv_heads;
    const Tensor query = columns(0, one.heads),
                 keys = columns(one.heads, one.kv_heads).repeat_interleave(group, 0),
                 values =
                     columns(one.heads + one.kv_heads, one.kv_heads).repeat_interleave(group, 0);
    const Tensor position = at::arange(length);
    const Tensor distance =
        (position.unsqueeze(0) - position.unsqueeze(1)).clamp(-one.reach, one.reach);
    const Tensor own = one.each
                           ? wide_numbers.narrow(0, first, length)
                           : wide_numbers.expand({length, -1, -1});  // [length, heads, numbers]
    const Tensor added = own.transpose(0, 1).gather(
        2, (distance + one.reach).unsqueeze(0).expand({one.heads, -1, -1}));
    Tensor scores = at::bmm(query, keys.transpose(1, 2)) * kScale + added;
    if (one.causal)
      scores = scores.masked_fill((position.unsqueeze(0) > position.unsqueeze(1)), -INFINITY);
    if (one.pattern.window > 0)
      scores = scores.masked_fill(seen(one.pattern, length).logical_not(), -INFINITY);
    contexts.push_back(at::bmm(at::softmax(scores, -1), values).transpose(0, 1).flatten(1));
    first += length;
  }
  const Tensor expected = at::cat(contexts);
  const auto wanted =
      torch::autograd::grad({expected}, {wide, wide_numbers}, {outer.to(at::kDouble)});
  EXPECT_LT(distance(got, expected), 1e-5);
  EXPECT_LT(distance(gradients[0], wanted[0]), 1e-4);
  EXPECT_LT(distance(gradients[1], wanted[1]), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, AttentionByDistance,
    ::testing::Values(DistanceCase{"shared", 3, 3, 2, false, false},
                      DistanceCase{"shared_causal", 4, 2, 2, false, true},
                      DistanceCase{"far", 2, 1, 69, false, false},
                      DistanceCase{"beyond", 2, 2, 100, false, true},
                      DistanceCase{"each", 3, 3, 5, true, false},
                      DistanceCase{"each_causal", 4, 2, 1, true, true},
                      DistanceCase{"window", 3, 1, 2, false, false, {.window = 1}},
                      DistanceCase{"window_causal", 4, 2, 69, false, true, {.window = 5}},
                      DistanceCase{"window_each", 2, 2, 3, true, false, {.window = 17}},
                      DistanceCase{"wide_window", 2, 1, 1, true, true, {.window = 100}},
                      DistanceCase{"global", 2, 2, 3, false, false, {2, 3, 0}},
                      DistanceCase{"strided", 3, 1, 69, false, false, {3, 0, 7}},
                      DistanceCase{"strided_causal", 2, 1, 2, true, true, {5, 0, 3}},
                      DistanceCase{"all_causal", 2, 2, 1, false, true, {1, 2, 5}}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace heed::kernels
