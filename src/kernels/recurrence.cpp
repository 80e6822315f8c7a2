#include "kernels/recurrence.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <type_traits>

#include "base/error.h"
#include "kernels/product.h"
#include "kernels/rows/recurrence.h"

namespace heed::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

/// The places of one step.
struct Stretch {
  int64_t begin = 0, rows = 0;
  Tensor of(const Tensor& all) const { return all.narrow(-2, begin, rows); }  // [..., places, n]
};

/// In the order of computation.
std::vector<Stretch> stretches(const std::vector<int64_t>& rows, bool backward) {
  std::vector<Stretch> steps;
  for (int64_t begin = 0; const int64_t count : rows) {
    steps.push_back({begin, count});
    begin += count;
  }
  if (backward) std::reverse(steps.begin(), steps.end());
  return steps;
}

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
 public:
  /// gates [places, kGates * hidden], initial [parts, rows[0], hidden] fp32 -> every state [parts,
  /// places, hidden] fp32.
  static Tensor forward(AutogradContext* context, const Tensor& gates, const Tensor& hidden_weight,
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

  static tensor_list backward(AutogradContext* context, const tensor_list& outer) {
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

/// A state is one part, so [1, rows, hidden] and [rows, hidden] are the same to it.
struct Gru {
  static constexpr int64_t kGates = 3;
  static constexpr bool kAddsGates = false;  // r multiplies what comes from the state

  static void forward(const Tensor& gates, const Tensor& recurrent, const Tensor& before,
                      const Tensor& state, const Tensor& kept) {
    each_row(before, kept.scalar_type(), [&]<class T>(int64_t i) {
      gru_row(row<T>(gates, i), row<T>(recurrent, i), row<float>(before, i), row<float>(state, i),
              row<T>(kept, i), before.size(-1));
    });
  }

  static void backward(const Tensor& kept, const Tensor& before, const Tensor& carried,
                       const Tensor& to_gates, const Tensor& to_recurrent) {
    each_row(before, kept.scalar_type(), [&]<class T>(int64_t i) {
      float* gradient = row<float>(carried, i);
      gru_row_gradient(row<T>(kept, i), row<float>(before, i), gradient, row<T>(to_gates, i),
                       row<T>(to_recurrent, i), gradient, before.size(-1));
    });
  }
};

class GruStep : public torch::autograd::Function<GruStep> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& gates, const Tensor& recurrent,
                        const Tensor& before) {
    const Tensor h = before.contiguous(), state = at::empty_like(h);
    const Tensor kept = at::empty({h.size(0), 4 * h.size(1)}, gates.options());
    Gru::forward(gates.contiguous(), recurrent.contiguous(), h, state, kept);
    context->save_for_backward({h, kept});
    return state;
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& outer) {
    const auto saved = context->get_saved_variables();
    const Tensor &before = saved[0], &kept = saved[1];
    const Tensor carried = outer[0].clone(at::MemoryFormat::Contiguous);
    const Tensor to_gates = at::empty({before.size(0), 3 * before.size(1)}, kept.options());
    const Tensor to_recurrent = at::empty_like(to_gates);
    Gru::backward(kept, before, carried, to_gates, to_recurrent);
    return {to_gates, to_recurrent, carried};
  }
};

void point_forward(const Tensor& gates, const Tensor& recurrent, const Tensor& before,
                   const LstmState& next, const Tensor& kept) {
  each_row(before, kept.scalar_type(), [&]<class T>(int64_t i) {
    lstm_row(row<T>(gates, i), row<T>(recurrent, i), row<float>(before, i),
             row<float>(next.hidden, i), row<float>(next.cell, i), row<T>(kept, i),
             before.size(-1));
  });
}

void point_backward(const Tensor& kept, const Tensor& before, const LstmState& outer,
                    const Tensor& to_gates, const Tensor& to_before) {
  each_row(before, kept.scalar_type(), [&]<class T>(int64_t i) {
    lstm_row_gradient(row<T>(kept, i), row<float>(before, i), row<float>(outer.hidden, i),
                      row<float>(outer.cell, i), row<T>(to_gates, i), row<float>(to_before, i),
                      before.size(-1));
  });
}

/// A state is two parts, hidden and cell: [2, rows, hidden].
struct Lstm {
  static constexpr int64_t kGates = 4;
  static constexpr bool kAddsGates = true;

  static void forward(const Tensor& gates, const Tensor& recurrent, const Tensor& before,
                      const Tensor& state, const Tensor& kept) {
    point_forward(gates, recurrent, before[1], {state[0], state[1]}, kept);
  }

  static void backward(const Tensor& kept, const Tensor& before, const Tensor& carried,
                       const Tensor& to_gates, const Tensor&) {
    const Tensor hidden = carried[0], cell = carried[1];
    point_backward(kept, before[1], {hidden, cell}, to_gates, cell);
    hidden.zero_();  // the state before enters through the products alone
  }
};

class LstmStep : public torch::autograd::Function<LstmStep> {
 public:
  static tensor_list forward(AutogradContext* context, const Tensor& gates, const Tensor& recurrent,
                             const Tensor& before) {
    const Tensor c = before.contiguous();
    const LstmState next{at::empty_like(c), at::empty_like(c)};
    const Tensor kept = at::empty({c.size(0), 4 * c.size(1)}, gates.options());
    point_forward(gates.contiguous(), recurrent.contiguous(), c, next, kept);
    context->save_for_backward({c, kept});
    return {next.hidden, next.cell};
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& outer) {
    const auto saved = context->get_saved_variables();
    const Tensor &before = saved[0], &kept = saved[1];
    const Tensor to_gates = at::empty_like(kept), to_before = at::empty_like(before);
    point_backward(kept, before, {outer[0].contiguous(), outer[1].contiguous()}, to_gates,
                   to_before);
    return {to_gates, to_gates, to_before};
  }
};

/// Throws Bug where `gates` has not a row for every place.
void require_places(const Packing& packing, const Tensor& gates) {
  const auto places = std::accumulate(packing.rows.begin(), packing.rows.end(), int64_t{0});
  expect(!packing.rows.empty() && gates.size(0) == places, "gates for every place");
}

}  // namespace

bool can_run_recurrence(const Tensor& gates, const Tensor& state) {
  return gates.is_cpu() && state.scalar_type() == at::kFloat && is_fp32_or_bf16(gates);
}

Tensor gru_step(const Tensor& gates, const Tensor& recurrent, const Tensor& before) {
  return GruStep::apply(gates, recurrent.to(gates.scalar_type()), before);
}

Tensor gru_sequence(const Tensor& gates, const Packing& packing, const Tensor& hidden_weight,
                    const Tensor& hidden_bias, const Tensor& initial, bool backward) {
  require_places(packing, gates);
  return Sequence<Gru>::apply(gates, hidden_weight, std::optional(hidden_bias),
                              initial.unsqueeze(0), packing.rows, backward)
      .squeeze(0);
}

LstmState lstm_step(const Tensor& gates, const Tensor& recurrent, const Tensor& cell) {
  const tensor_list next = LstmStep::apply(gates, recurrent.to(gates.scalar_type()), cell);
  return {next[0], next[1]};
}

LstmState lstm_sequence(const Tensor& gates, const Packing& packing, const Tensor& hidden_weight,
                        const LstmState& initial, bool backward) {
  require_places(packing, gates);
  const auto states =
      Sequence<Lstm>::apply(gates, hidden_weight, std::optional<Tensor>(),
                            at::stack({initial.hidden, initial.cell}), packing.rows, backward)
          .unbind(0);
  return {states[0], states[1]};
}

}  // namespace heed::kernels
