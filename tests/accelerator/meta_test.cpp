// Every kind of model on LibTorch's `meta` device, whose tensors have shapes and no numbers: an
// operation that needs a number on the host throws there.
//
// Not run there: the optimizers (LibTorch's fused ones have no kernel for `meta`), and what reads
// on purpose: numbers of an update (train/update.h), the best candidates of a step
// (decode/model_steps.h).
#include <ATen/ATen.h>
#include <ATen/ExpandUtils.h>
#include <gtest/gtest.h>
#include <torch/library.h>

#include "accelerator/support.h"
#include "decode/model_steps.h"
#include "model/device.h"
#include "model/model.h"
#include "model/reorder_beams.h"
#include "train/loss.h"

namespace heed::accelerator {
namespace {

using at::Tensor;

bool takes_any_place(const Tensor&, const Tensor&) {
  return true;
}

// Shapes that LibTorch knows in Python alone.

Tensor index_select(const Tensor& x, int64_t dim, const Tensor& index) {
  auto sizes = x.sizes().vec();
  sizes[at::maybe_wrap_dim(dim, x.dim())] = index.numel();
  return at::empty(sizes, x.options());
}

Tensor embedding_dense_backward(const Tensor& gradient, const Tensor&, int64_t rows, int64_t,
                                bool) {
  return at::empty({rows, gradient.size(-1)}, gradient.options());
}

Tensor& bernoulli(Tensor& x, double, std::optional<at::Generator>) {
  return x;
}

Tensor& elementwise(const Tensor& x, Tensor& out) {
  return out.resize_(x.sizes()), out;
}

Tensor& of_both(const Tensor& x, const Tensor& y, Tensor& out) {
  return out.resize_(at::infer_size(x.sizes(), y.sizes())), out;
}

Tensor& where_out(const Tensor& condition, const Tensor& x, const Tensor& y, Tensor& out) {
  const auto sizes = at::infer_size(x.sizes(), y.sizes());
  return out.resize_(at::infer_size(condition.sizes(), sizes)), out;
}

Tensor where(const Tensor& condition, const Tensor& x, const Tensor& y) {
  Tensor out = at::empty({0}, condition.options().dtype(at::result_type(x, y)));
  return where_out(condition, x, y, out);
}

std::tuple<Tensor, Tensor, Tensor> layer_norm(const Tensor& x, at::IntArrayRef,
                                              const std::optional<Tensor>&,
                                              const std::optional<Tensor>&, double) {
  const Tensor row = at::empty_like(x.narrow(-1, 0, 1));
  return {at::empty_like(x), row, row};
}

std::tuple<Tensor, Tensor, Tensor> layer_norm_backward(
    const Tensor&, const Tensor& x, at::IntArrayRef, const Tensor&, const Tensor&,
    const std::optional<Tensor>& weight, const std::optional<Tensor>& bias, std::array<bool, 3>) {
  return {at::empty_like(x), at::empty_like(*weight), at::empty_like(*bias)};
}

Tensor flip(const Tensor& x, at::IntArrayRef) {
  return at::empty_like(x);
}

Tensor unfold_backward(const Tensor& gradient, at::IntArrayRef sizes, int64_t, int64_t, int64_t) {
  return at::empty(sizes, gradient.options());
}

TORCH_LIBRARY_IMPL(aten, Meta, m) {
  // LibTorch asks before Module::to() gives a parameter another device's tensor.
  m.impl("_has_compatible_shallow_copy_type", TORCH_FN(takes_any_place));
  m.impl("index_select", TORCH_FN(index_select));
  m.impl("embedding_dense_backward", TORCH_FN(embedding_dense_backward));
  m.impl("bernoulli_.float", TORCH_FN(bernoulli));
  m.impl("logical_not.out", TORCH_FN(elementwise));
  m.impl("abs.out", TORCH_FN(elementwise));
  m.impl("logical_and.out", TORCH_FN(of_both));
  m.impl("logical_or.out", TORCH_FN(of_both));
  m.impl("where.self", TORCH_FN(where));
  m.impl("where.self_out", TORCH_FN(where_out));
  m.impl("unfold_backward", TORCH_FN(unfold_backward));
  m.impl("flip", TORCH_FN(flip));
  m.impl("native_layer_norm", TORCH_FN(layer_norm));
  m.impl("native_layer_norm_backward", TORCH_FN(layer_norm_backward));
}

class EveryShape : public ::testing::TestWithParam<NamedConfig> {
 protected:
  /// In training everything is dropped that can be.
  EveryShape() {
    model::ModelConfig kind = GetParam().config;
    kind.dropout = kind.attention_dropout = kind.activation_dropout = kind.word_dropout = 0.3;
    model_ = model::testing::model_of(kind, kPieces);
    model_->to(meta_);
  }

  const at::Device meta_{at::kMeta};
  model::ModelPtr model_;
};

TEST_P(EveryShape, OfAnUpdateFollowsFromShapesAlone) {
  const data::Batch batch = small_batch();
  const train::Target target = train::make_target(batch, meta_);
  const Tensor features = model_->features(model::make_source(batch, meta_), target.input);
  const train::LossSum loss = train::loss_of(*model_, features, target, 0.1);
  loss.smoothed.backward();
  EXPECT_TRUE(loss.smoothed.is_meta());
  for (const auto& item : model_->named_parameters()) {
    const Tensor& parameter = item.value();
    ASSERT_TRUE(parameter.grad().defined()) << item.key();
    EXPECT_EQ(parameter.grad().sizes(), parameter.sizes()) << item.key();
  }
}

TEST_P(EveryShape, OfAStepOfDecodingFollowsFromShapesAlone) {
  const at::NoGradGuard no_grad;
  model_->eval();
  const data::Batch batch = small_batch();
  const auto upload = [&](const Tensor& host) { return model::upload(host, meta_); };
  model::State state = model_->start(model::make_source(batch, meta_), nullptr);
  model::Trace trace;
  Tensor logits = model_->step(upload(at::full({batch.size, 1}, text::kBegin)), state, &trace);
  EXPECT_EQ(logits.sizes(), (std::vector<int64_t>{batch.size, 1, kPieces}));
  EXPECT_EQ(trace.maps.empty(), !model_->attends());
  model::reorder_beams(state, upload(at::zeros({batch.size, 3}, at::kLong)));
  model::reorder(state, upload(at::tensor({0, 2})), {});
  logits = model_->step(upload(at::ones({2, 3}, at::kLong)), state);
  const Tensor scores = decode::mixed_log_probabilities({logits, logits});
  EXPECT_EQ(scores.sizes(), (std::vector<int64_t>{2, 3, kPieces}));
  EXPECT_ANY_THROW(scores.max().item<float>());  // what these tests are for
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryShape, ::testing::ValuesIn(every_kind()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace heed::accelerator
