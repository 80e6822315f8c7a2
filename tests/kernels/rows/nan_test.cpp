// NaN in is NaN out, for every loop over plain numbers. Widths are more than a vector's, and odd.
#include <gtest/gtest.h>

#include "kernels/rows/additive.h"
#include "kernels/rows/attention.h"
#include "kernels/rows/dropout.h"
#include "kernels/rows/layer_norm.h"
#include "kernels/rows/loops.h"
#include "kernels/rows/loss.h"
#include "kernels/rows/matrix.h"
#include "kernels/rows/nan_contract.h"
#include "kernels/rows/random_numbers.h"
#include "kernels/rows/recurrence.h"

namespace heed::kernels {
namespace {

using Inputs = std::vector<Floats>;

constexpr int64_t kWide = 37;

/// Inputs of these sizes.
Inputs random_inputs(const std::vector<int64_t>& sizes) {
  Inputs out;
  for (std::size_t i = 0; i < sizes.size(); ++i) out.push_back(random_numbers(sizes[i], 11 + i));
  return out;
}

/// A loop that changes one row in place.
template <class Loop>
void expect_in_place(const Loop& loop) {
  expect_nan_in_is_nan_out(random_inputs({kWide}), [&](const Inputs& in) {
    Floats x = in[0];
    loop(x.data(), kWide);
    return x;
  });
}

TEST(NanInIsNanOut, FunctionsOfOneNumber) {
  expect_nan_in_is_nan_out({{0.5F}}, [](const Inputs& in) {
    const float x = in[0][0];
    return Floats{exponential(x), logistic(x), hyperbolic_tangent(x), widened(narrowed(x))};
  });
}

TEST(NanInIsNanOut, LoopsOverARow) {
  expect_in_place(silu);
  expect_in_place(gelu);
  expect_in_place([](float* x, int64_t count) { exponentials(x, count, 2); });
  expect_in_place([](float* x, int64_t count) { scale_and_shift(x, count, 2, 3); });
  expect_in_place([](float* x, int64_t count) { scale_and_add(x, 2, nullptr, count, x); });
  expect_in_place([](float* x, int64_t count) {
    Halves halves(count);
    narrow(x, halves.data(), count);
    widen(halves.data(), x, count);
  });
  expect_nan_in_is_nan_out(random_inputs({kWide}), [](const Inputs& in) {
    const float* x = in[0].data();
    Floats copy = in[0];
    return Floats{sum(x, kWide), largest_magnitude(x, kWide), exponentials(copy.data(), kWide, 2),
                  partition_of(x, kWide).log_sum};
  });
  expect_nan_in_is_nan_out(random_inputs({kWide, kWide}), [](const Inputs& in) {
    Floats to(kWide);
    scale_and_add(in[0].data(), 2, in[1].data(), kWide, to.data());
    return to;
  });
}

TEST(NanInIsNanOut, LayerNorm) {
  const auto inputs = random_inputs({kWide, kWide, kWide, kWide});
  expect_nan_in_is_nan_out(inputs, [](const Inputs& in) {
    const float *x = in[0].data(), *weight = in[1].data(), *bias = in[2].data();
    const Moments moments = moments_of(x, kWide, 1e-5F);
    Floats y(kWide), rows(kWide), out;
    Halves half(kWide);
    normalise_row(x, moments, weight, bias, y.data(), kWide);
    normalise_row(x, moments, weight, bias, half.data(), kWide);
    normalise_rows(x, 1, kWide, weight, bias, 1e-5F, rows.data());
    append(out, y);
    append(out, half);
    append(out, rows);
    Floats inner(kWide), to_weight(kWide), to_bias(kWide);
    normalise_row_gradient(x, moments, weight, in[3].data(), inner.data(), to_weight.data(),
                           to_bias.data(), kWide);
    append(out, inner);
    append(out, to_weight);
    append(out, to_bias);
    return out;
  });
}

template <class T>
std::vector<T> as(const Floats& x) {
  if constexpr (std::is_same_v<T, float>)
    return x;
  else
    return halves_of(x);
}

template <class T>
Floats gru(const Inputs& in) {
  const auto gates = as<T>(in[0]), recurrent = as<T>(in[1]);
  std::vector<T> kept(4 * kWide), to_gates(3 * kWide), to_recurrent(3 * kWide);
  Floats state(kWide), inner(kWide), out;
  RecurrentRow<T>::gru(gates.data(), recurrent.data(), in[2].data(), state.data(), kept.data(),
                       kWide);
  RecurrentRow<T>::gru_gradient(kept.data(), in[2].data(), in[3].data(), to_gates.data(),
                                to_recurrent.data(), inner.data(), kWide);
  append(out, state);
  append(out, to_gates);
  append(out, to_recurrent);
  append(out, inner);
  return out;
}

TEST(NanInIsNanOut, Gru) {
  const auto inputs = random_inputs({3 * kWide, 3 * kWide, kWide, kWide});
  expect_nan_in_is_nan_out(inputs, gru<float>);
  expect_nan_in_is_nan_out(inputs, gru<uint16_t>);
}

template <class T>
Floats lstm(const Inputs& in) {
  const auto gates = as<T>(in[0]), recurrent = as<T>(in[1]);
  std::vector<T> kept(4 * kWide), to_gates(4 * kWide);
  Floats state(kWide), cell(kWide), inner(kWide), out;
  RecurrentRow<T>::lstm(gates.data(), recurrent.data(), in[2].data(), state.data(), cell.data(),
                        kept.data(), kWide);
  RecurrentRow<T>::lstm_gradient(kept.data(), in[2].data(), in[3].data(), in[4].data(),
                                 to_gates.data(), inner.data(), kWide);
  append(out, state);
  append(out, cell);
  append(out, to_gates);
  append(out, inner);
  return out;
}

TEST(NanInIsNanOut, Lstm) {
  const auto inputs = random_inputs({4 * kWide, 4 * kWide, kWide, kWide, kWide});
  expect_nan_in_is_nan_out(inputs, lstm<float>);
  expect_nan_in_is_nan_out(inputs, lstm<uint16_t>);
}

/// query, keys, v, values, gradient of the context
Floats additive(const Inputs& in, bool exponentials) {
  constexpr int64_t kMemory = 5;
  const int64_t source = static_cast<int64_t>(in[1].size()) / kWide;
  Floats query = in[0], keys = in[1];
  if (exponentials) {
    exp_2x(in[0].data(), query.data(), kWide);
    exp_2x(in[1].data(), keys.data(), source * kWide);
  }
  const AdditiveScore score{query.data(), keys.data(), exponentials};
  const AdditiveSize size{source, kWide, kMemory};
  Floats weights(source), context(kMemory), scratch(source), out;
  Floats to_query(kWide), to_v(kWide), to_keys(keys.size()), to_values(in[3].size());
  additive_row(score, in[2].data(), in[3].data(), weights.data(), context.data(), size);
  additive_row_gradient(in[4].data(), nullptr, score, in[2].data(), in[3].data(), weights.data(),
                        to_query.data(), to_v.data(), to_keys.data(), to_values.data(),
                        scratch.data(), size);
  for (const Floats& part : {weights, context, to_query, to_v, to_keys, to_values})
    append(out, part);
  return out;
}

TEST(NanInIsNanOut, AdditiveAttention) {
  const auto inputs = random_inputs({kWide, 3 * kWide, kWide, 15, 5});
  expect_nan_in_is_nan_out(inputs, [](const Inputs& in) { return additive(in, false); });
  expect_nan_in_is_nan_out(inputs, [](const Inputs& in) { return additive(in, true); });
}

/// query, keys, values, gradient of the context: seven positions of three
template <class T>
Floats head(const Inputs& in, const HeadSize& size) {
  const auto query = as<T>(in[0]), keys = as<T>(in[1]), values = as<T>(in[2]), outer = as<T>(in[3]);
  std::vector<T> context(21), to_query(21), to_keys(21), to_values(21);
  HeadWork<T> work;
  work.read({keys.data(), 3}, {values.data(), 3}, size);
  work.attend({query.data(), 3}, {}, {context.data(), 3});
  work.attend_backward({query.data(), 3}, {}, {outer.data(), 3}, {to_query.data(), 3}, {});
  work.write_gradients({to_keys.data(), 3}, {to_values.data(), 3});
  Floats out;
  for (const auto& part : {context, to_query, to_keys, to_values}) append(out, part);
  return out;
}

TEST(NanInIsNanOut, DotProductAttention) {
  const auto inputs = random_inputs({21, 21, 21, 21});
  const bool valid[] = {true, false, true, true, true, true, false};
  for (const HeadSize& size :
       {HeadSize{.queries = 7, .keys = 7, .head = 3, .pattern = {.causal = true}},
        HeadSize{.queries = 7, .keys = 7, .head = 3, .valid = valid}}) {
    expect_nan_in_is_nan_out(inputs, [&](const Inputs& in) { return head<float>(in, size); });
    expect_nan_in_is_nan_out(inputs, [&](const Inputs& in) { return head<uint16_t>(in, size); });
  }
}

TEST(NanInIsNanOut, Loss) {
  for (const float smoothing : {0.0F, 0.1F})
    for (const bool half : {false, true})
      expect_nan_in_is_nan_out(random_inputs({kWide}), [&](const Inputs& in) {
        Floats row = in[0], scratch(kWide);
        Halves halves = halves_of(row);
        const RowLoss loss =
            half ? loss_row(halves.data(), kWide, 3, smoothing, true, scratch.data())
                 : loss_row(row.data(), kWide, 3, smoothing, true);
        Floats out{static_cast<float>(loss.nll), static_cast<float>(loss.smoothed)};
        half ? append(out, halves) : append(out, row);
        return out;
      });
}

TEST(NanInIsNanOut, PairLoss) {
  const PairWeights weights{.first = 1, .second = 1, .forward = 1, .backward = 1};
  for (const bool half : {false, true})
    expect_nan_in_is_nan_out(random_inputs({kWide, kWide}), [&](const Inputs& in) {
      Floats one = in[0], other = in[1], scratch(3 * kWide);
      Halves ones = halves_of(one), others = halves_of(other);
      const RowLoss loss = half ? pair_loss_rows(ones.data(), others.data(), kWide, 3, 0.1F,
                                                 weights, true, scratch.data())
                                : pair_loss_rows(one.data(), other.data(), kWide, 3, 0.1F, weights,
                                                 true, scratch.data());
      Floats out{static_cast<float>(loss.nll), static_cast<float>(loss.smoothed)};
      half ? append(out, ones) : append(out, one);
      half ? append(out, others) : append(out, other);
      return out;
    });
}

TEST(NanInIsNanOut, Dropout) {
  const Mask mask(1, 0.5);
  expect_nan_in_is_nan_out(random_inputs({kWide, kWide}), [&](const Inputs& in) {
    const Halves half = halves_of(in[0]), residual = halves_of(in[1]);
    Floats dropped(kWide), sum(kWide), mixed(kWide), out;
    Halves half_dropped(kWide), narrowed(kWide), half_sum(kWide);
    drop_numbers(nullptr, in[0].data(), dropped.data(), 0, kWide, mask);
    drop_numbers(nullptr, half.data(), half_dropped.data(), 0, kWide, mask);
    drop_numbers(nullptr, in[0].data(), narrowed.data(), 0, kWide, mask);
    drop_numbers(in[1].data(), in[0].data(), sum.data(), 0, kWide, mask);
    drop_numbers(residual.data(), half.data(), half_sum.data(), 0, kWide, mask);
    drop_numbers(in[1].data(), half.data(), mixed.data(), 0, kWide, mask);
    for (const Floats& part : {dropped, sum, mixed}) append(out, part);
    for (const Halves& part : {half_dropped, narrowed, half_sum}) append(out, part);
    return out;
  });
}

TEST(NanInIsNanOut, SumsProductsAndTransposes) {
  expect_nan_in_is_nan_out(random_inputs({3 * kWide}), [](const Inputs& in) {
    const Halves half = halves_of(in[0]);
    Floats total(kWide), half_total(kWide), turned(3 * kWide), out;
    Halves half_turned(3 * kWide);
    sum_strip(in[0].data(), 3, kWide, kWide, total.data());
    sum_strip(half.data(), 3, kWide, kWide, half_total.data());
    transpose_rows(in[0].data(), turned.data(), 3, kWide, 0, 3);
    transpose_rows(in[0].data(), half_turned.data(), 3, kWide, 0, 3);
    for (const Floats& part : {total, half_total, turned}) append(out, part);
    append(out, half_turned);
    return out;
  });
  expect_nan_in_is_nan_out(random_inputs({35, 80, 112}), [](const Inputs& in) {
    Floats c = in[2];
    multiply({.a = {in[0].data(), 5},
              .b = {in[1].data(), 16},
              .c = {c.data(), 16},
              .rows = 7,
              .inner = 5,
              .width = 16,
              .add = true});
    return c;
  });
}

}  // namespace
}  // namespace heed::kernels
