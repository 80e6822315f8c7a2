// A recurrence over packed sequences as one node of autograd's graph, for any cell: the products of
// all steps write into one tensor each way, so that the weights' gradient is a single product.
#pragma once

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <optional>
#include <type_traits>
#include <vector>

#include "kernels/column_sums.h"
#include "kernels/product.h"
#include "kernels/tensor.h"

namespace heed::kernels {

/// The places of one step.
struct Stretch {
  int64_t begin = 0, rows = 0;
  Tensor of(const Tensor& all) const { return all.narrow(-2, begin, rows); }  // [..., places, n]
};

/// In the order of computation.
std::vector<Stretch> stretches(const std::vector<int64_t>& rows, bool backward);

/// Row i of x [..., rows, n], which is contiguous; uint16_t stands for bf16.
template <class T>
T* row(const Tensor& x, int64_t i) {
  if constexpr (std::is_same_v<T, float>)
    return x.data_ptr<float>() + x.size(-1) * i;
  else
    return reinterpret_cast<T*>(x.data_ptr<at::BFloat16>()) + x.size(-1) * i;
}

/// Calls point<T>(i) for every row of state [..., rows, hidden], T being what `type` is stored as.
template <class Point>
void each_row(const Tensor& state, at::ScalarType type, Point point) {
  const int64_t grain = std::max<int64_t>(1, 8192 / state.size(-1));  // rows worth a thread
  at::parallel_for(0, state.size(-2), grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      type == at::kFloat ? point.template operator()<float>(i)
                         : point.template operator()<uint16_t>(i);
  });
}

/// A Cell has
///   kGates      blocks of gates,
///   kAddsGates  whether the input's and the state's part are only ever added, so that one gradient
///               is that of both,
///   forward(gates, recurrent, before, state, kept), which writes the next state and keeps four
///               numbers for each number of the hidden state, and
///   backward(kept, before, carried, to_gates, to_recurrent), which turns `carried` from the
///               gradient of a step's state into that of the state before, but for the products.
/// States are [parts, rows, hidden], the hidden state first; gates [rows, kGates * hidden].
template <class Cell>
class Sequence : public torch::autograd::Function<Sequence<Cell>> {
  using Context = torch::autograd::AutogradContext;

 public:
  /// gates [places, kGates * hidden], initial [parts, rows[0], hidden] fp32 -> every state [parts,
  /// places, hidden] fp32.
  static Tensor forward(Context* context, const Tensor& gates, const Tensor& hidden_weight,
                        const std::optional<Tensor>& hidden_bias, const Tensor& initial,
                        const std::vector<int64_t>& rows, bool backward) {
    const auto type = gates.scalar_type();
    const Tensor x = gates.contiguous(), weight = weight_by_columns(hidden_weight, type);
    const Tensor bias = hidden_bias ? hidden_bias->to(type) : Tensor();
    const int64_t parts = initial.size(0), places = x.size(0), hidden = initial.size(2);
    const Tensor states = at::empty({parts, places, hidden}, initial.options());
    const Tensor before = at::empty_like(states),
                 kept = at::empty({places, 4 * hidden}, x.options());
    const Tensor state = initial.clone(at::MemoryFormat::Contiguous);
    for (const Stretch& step : stretches(rows, backward)) {
      const Tensor now = state.narrow(1, 0, step.rows);
      step.of(before).copy_(now);
      const Tensor product = times_transposed(now[0].to(type), weight, bias);
      Cell::forward(step.of(x), product, step.of(before), step.of(states), step.of(kept));
      now.copy_(step.of(states));
    }
    context->save_for_backward({hidden_weight, before, kept});
    context->saved_data["rows"] = rows;
    context->saved_data["backward"] = backward;
    context->saved_data["has_bias"] = hidden_bias.has_value();
    return states;
  }

  static torch::autograd::tensor_list backward(Context* context,
                                               const torch::autograd::tensor_list& outer) {
    const auto saved = context->get_saved_variables();
    const Tensor &before = saved[1], &kept = saved[2];
    const auto type = kept.scalar_type(), weight_type = saved[0].scalar_type();
    const Tensor weight = saved[0].to(type);
    const std::vector<int64_t> rows = context->saved_data["rows"].toIntVector();
    const int64_t parts = before.size(0), places = before.size(1), hidden = before.size(2);
    const Tensor to_gates = at::empty({places, Cell::kGates * hidden}, kept.options());
    const Tensor to_recurrent = Cell::kAddsGates ? to_gates : at::empty_like(to_gates);
    const Tensor carried = at::zeros({parts, rows.front(), hidden}, before.options());
    auto steps = stretches(rows, context->saved_data["backward"].toBool());
    std::reverse(steps.begin(), steps.end());
    for (const Stretch& step : steps) {
      const Tensor now = carried.narrow(1, 0, step.rows);
      now.add_(step.of(outer[0]));
      Cell::backward(step.of(kept), step.of(before), now, step.of(to_gates), step.of(to_recurrent));
      now[0].add_(times_transposed(step.of(to_recurrent), weight.t()));
    }
    const Tensor to_weight = weight_gradient(to_recurrent, before[0].to(type), weight_type);
    const Tensor to_bias = context->saved_data["has_bias"].toBool()
                               ? column_sums(to_recurrent).to(weight_type)
                               : Tensor();
    return {to_gates, to_weight, to_bias, carried, Tensor(), Tensor()};
  }
};

}  // namespace heed::kernels
