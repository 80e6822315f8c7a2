#include "kernels/recurrence.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>

#include "base/error.h"
#include "kernels/autograd.h"
#include "kernels/product.h"
#include "kernels/rows/recurrence.h"

namespace heed::kernels {
namespace {

/// The rows of one step.
struct Stretch {
  int64_t begin = 0, rows = 0;
  Tensor of(const Tensor& all) const { return all.narrow(-2, begin, rows); }  // [..., total, n]
};

/// The ranges of all steps, in the order of computation.
std::vector<Stretch> stretches(const std::vector<int64_t>& rows, bool backward) {
  std::vector<Stretch> steps;
  for (int64_t begin = 0; const int64_t count : rows) {
    steps.push_back({begin, count});
    begin += count;
  }
  if (backward) std::reverse(steps.begin(), steps.end());
  return steps;
}

/// Row i of x [..., rows, n], which is contiguous.
template <class T>
T* row(const Tensor& x, int64_t i) {
  return numbers<T>(x) + x.size(-1) * i;
}

/// Calls point<T>(i) for `count` items of `numbers` each, where T is the type in which `type` is
/// stored.
template <class Point>
void each_of(int64_t count, int64_t numbers, at::ScalarType type, Point point) {
  const int64_t grain = std::max<int64_t>(1, 8192 / numbers);  // items worth a thread
  at::parallel_for(0, count, grain, [&](int64_t begin, int64_t end) {
    as_stored(type, [&]<class T>() {
      for (int64_t i = begin; i < end; ++i) point.template operator()<T>(i);
    });
  });
}

/// each_of() for every row of state [..., rows, hidden].
template <class Point>
void each_row(const Tensor& state, at::ScalarType type, Point point) {
  each_of(state.size(-2), state.size(-1), type, point);
}

/// A Cell has
///   kGates      blocks of gates, [rows, kGates * hidden],
///   kAddsGates  whether the input's and the state's part are only ever added, so that one gradient
///               is that of both,
///   kParts      parts of the state, [rows, hidden] each, the hidden state first; the last one is
///               what a step remembers,
///   forward(gates, recurrent, before, next, kept), which writes the parts of the next state and
///               keeps four numbers for each number of the hidden state, and
///   backward(kept, before, outer, to_gates, to_recurrent, to_before), from the gradients of these
///               parts; `to_before` may be the last of them.
template <class Cell>
class Sequence : public torch::autograd::Function<Sequence<Cell>> {
 public:
  /// gates [total, kGates * hidden], initial [parts, rows[0], hidden] fp32 -> every state [parts,
  /// total, hidden] fp32.
  static Tensor forward(AutogradContext* context, const Tensor& gates, const Tensor& hidden_weight,
                        const std::optional<Tensor>& hidden_bias, const Tensor& initial,
                        const std::vector<int64_t>& rows, bool backward) {
    const auto type = gates.scalar_type();
    const Tensor x = gates.contiguous(), weight = weight_by_columns(hidden_weight, type);
    const Tensor bias = hidden_bias ? hidden_bias->to(type) : Tensor();
    const int64_t total = x.size(0), hidden = initial.size(2);
    const Tensor states = at::empty({Cell::kParts, total, hidden}, initial.options());
    const Tensor before = at::empty_like(states),
                 kept = at::empty({total, 4 * hidden}, x.options());
    const Tensor state = initial.clone(at::MemoryFormat::Contiguous);
    for (const Stretch& step : stretches(rows, backward)) {
      const Tensor now = state.narrow(1, 0, step.rows);
      step.of(before).copy_(now);
      const Tensor product = times_transposed(now[0].to(type), weight, bias);
      Cell::forward(step.of(x), product, step.of(before)[Cell::kParts - 1],
                    step.of(states).unbind(0), step.of(kept));
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
    const int64_t total = before.size(1), hidden = before.size(2);
    const Tensor to_gates = at::empty({total, Cell::kGates * hidden}, kept.options());
    const Tensor to_recurrent = Cell::kAddsGates ? to_gates : at::empty_like(to_gates);
    const Tensor carried = at::zeros({Cell::kParts, rows.front(), hidden}, before.options());
    auto steps = stretches(rows, context->saved_data["backward"].toBool());
    std::reverse(steps.begin(), steps.end());
    for (const Stretch& step : steps) {
      const Tensor now = carried.narrow(1, 0, step.rows);
      now.add_(step.of(outer[0]));
      const tensor_list parts = now.unbind(0);
      Cell::backward(step.of(kept), step.of(before)[Cell::kParts - 1], parts, step.of(to_gates),
                     step.of(to_recurrent), parts.back());
      if (Cell::kParts > 1) parts[0].zero_();  // then h enters through the products alone
      parts[0].add_(times_transposed(step.of(to_recurrent), weight.t()));
    }
    const Tensor to_weight = weight_gradient(to_recurrent, before[0].to(type), weight_type);
    const Tensor to_bias = context->saved_data["has_bias"].toBool()
                               ? column_sums(to_recurrent).to(weight_type)
                               : Tensor();
    return {to_gates, to_weight, to_bias, carried, Tensor(), Tensor()};
  }
};

/// One step of a Cell after its products.
template <class Cell>
class CellStep : public torch::autograd::Function<CellStep<Cell>> {
 public:
  /// `before` is the last part of a state. Returns the parts of the next one.
  static tensor_list forward(AutogradContext* context, const Tensor& gates, const Tensor& recurrent,
                             const Tensor& before) {
    const Tensor last = before.contiguous();
    tensor_list next(Cell::kParts);
    for (Tensor& part : next) part = at::empty_like(last);
    const Tensor kept = at::empty({last.size(0), 4 * last.size(1)}, gates.options());
    Cell::forward(gates.contiguous(), recurrent.contiguous(), last, next, kept);
    context->save_for_backward({last, kept});
    return next;
  }

  static tensor_list backward(AutogradContext* context, tensor_list outer) {
    const auto saved = context->get_saved_variables();
    const Tensor &before = saved[0], &kept = saved[1];
    for (Tensor& part : outer) part = part.contiguous();
    const Tensor to_gates =
        at::empty({before.size(0), Cell::kGates * before.size(1)}, kept.options());
    const Tensor to_recurrent = Cell::kAddsGates ? to_gates : at::empty_like(to_gates),
                 to_before = at::empty_like(before);
    Cell::backward(kept, before, outer, to_gates, to_recurrent, to_before);
    return {to_gates, to_recurrent, to_before};
  }
};

struct Gru {
  static constexpr int64_t kGates = 3, kParts = 1;
  static constexpr bool kAddsGates = false;  // r multiplies the state's part

  static void forward(const Tensor& gates, const Tensor& recurrent, const Tensor& before,
                      const tensor_list& next, const Tensor& kept) {
    each_row(before, kept.scalar_type(), [&]<class T>(int64_t i) {
      RecurrentRow<T>::gru(row<T>(gates, i), row<T>(recurrent, i), row<float>(before, i),
                           row<float>(next[0], i), row<T>(kept, i), before.size(-1));
    });
  }

  static void backward(const Tensor& kept, const Tensor& before, const tensor_list& outer,
                       const Tensor& to_gates, const Tensor& to_recurrent,
                       const Tensor& to_before) {
    each_row(before, kept.scalar_type(), [&]<class T>(int64_t i) {
      RecurrentRow<T>::gru_gradient(row<T>(kept, i), row<float>(before, i), row<float>(outer[0], i),
                                    row<T>(to_gates, i), row<T>(to_recurrent, i),
                                    row<float>(to_before, i), before.size(-1));
    });
  }
};

struct Lstm {
  static constexpr int64_t kGates = 4, kParts = 2;  // hidden and cell
  static constexpr bool kAddsGates = true;

  static void forward(const Tensor& gates, const Tensor& recurrent, const Tensor& before,
                      const tensor_list& next, const Tensor& kept) {
    each_row(before, kept.scalar_type(), [&]<class T>(int64_t i) {
      RecurrentRow<T>::lstm(row<T>(gates, i), row<T>(recurrent, i), row<float>(before, i),
                            row<float>(next[0], i), row<float>(next[1], i), row<T>(kept, i),
                            before.size(-1));
    });
  }

  static void backward(const Tensor& kept, const Tensor& before, const tensor_list& outer,
                       const Tensor& to_gates, const Tensor&, const Tensor& to_before) {
    each_row(before, kept.scalar_type(), [&]<class T>(int64_t i) {
      RecurrentRow<T>::lstm_gradient(
          row<T>(kept, i), row<float>(before, i), row<float>(outer[0], i), row<float>(outer[1], i),
          row<T>(to_gates, i), row<float>(to_before, i), before.size(-1));
    });
  }
};

class Ssru : public torch::autograd::Function<Ssru> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& candidate, const Tensor& forget,
                        const std::vector<int64_t>& lengths) {
    const Tensor x = candidate.contiguous(), gate = forget.contiguous();
    const Tensor states = at::empty(x.sizes(), x.options().dtype(at::kFloat)),
                 output = at::empty_like(x);
    const std::vector<float> zeros(x.size(1));
    each_sentence(lengths, x, [&]<class T>(int64_t begin, int64_t end) {
      const float* before = zeros.data();
      for (int64_t i = begin; i < end; ++i) {
        RecurrentRow<T>::ssru(row<T>(x, i), row<T>(gate, i), before, row<float>(states, i),
                              row<T>(output, i), x.size(1));
        before = row<float>(states, i);
      }
    });
    context->save_for_backward({x, gate, states});
    context->saved_data["lengths"] = lengths;
    return output;
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& outer) {
    const auto saved = context->get_saved_variables();
    const Tensor &x = saved[0], &gate = saved[1], &states = saved[2];
    const Tensor from = outer[0].contiguous();
    const Tensor to_candidate = at::empty_like(x), to_forget = at::empty_like(x);
    const std::vector<int64_t> lengths = context->saved_data["lengths"].toIntVector();
    const int64_t width = x.size(1);
    const std::vector<float> zeros(width);
    each_sentence(lengths, x, [&]<class T>(int64_t begin, int64_t end) {
      std::vector<float> carried(width);
      for (int64_t i = end - 1; i >= begin; --i)
        RecurrentRow<T>::ssru_gradient(row<T>(x, i), row<T>(gate, i),
                                       i > begin ? row<float>(states, i - 1) : zeros.data(),
                                       row<float>(states, i), row<T>(from, i), carried.data(),
                                       row<T>(to_candidate, i), row<T>(to_forget, i), width);
    });
    return {to_candidate, to_forget, Tensor()};
  }

 private:
  /// Calls work<T>(begin, end) for the positions of each sentence of x [positions, width].
  template <class Work>
  static void each_sentence(const std::vector<int64_t>& lengths, const Tensor& x, Work work) {
    std::vector<int64_t> starts = {0};
    for (const int64_t length : lengths) starts.push_back(starts.back() + length);
    expect(starts.back() == x.size(0), "the positions of all sentences");
    const int64_t sentences = std::ssize(lengths);
    each_of(sentences, x.numel() / sentences, x.scalar_type(),
            [&]<class T>(int64_t i) { work.template operator()<T>(starts[i], starts[i + 1]); });
  }
};

/// Throws Bug where `gates` has not a row for every step.
void require_rows(const Packing& packing, const Tensor& gates) {
  const auto total = std::accumulate(packing.rows.begin(), packing.rows.end(), int64_t{0});
  expect(!packing.rows.empty() && gates.size(0) == total, "gates for every step");
}

}  // namespace

bool can_run_recurrence(const Tensor& gates, const Tensor& state) {
  return gates.is_cpu() && state.scalar_type() == at::kFloat && is_fp32_or_bf16(gates);
}

Tensor gru_step(const Tensor& gates, const Tensor& recurrent, const Tensor& before) {
  return CellStep<Gru>::apply(gates, recurrent.to(gates.scalar_type()), before)[0];
}

Tensor gru_sequence(const Tensor& gates, const Packing& packing, const Tensor& hidden_weight,
                    const Tensor& hidden_bias, const Tensor& initial, bool backward) {
  require_rows(packing, gates);
  return Sequence<Gru>::apply(gates, hidden_weight, std::optional(hidden_bias),
                              initial.unsqueeze(0), packing.rows, backward)
      .squeeze(0);
}

LstmState lstm_step(const Tensor& gates, const Tensor& recurrent, const Tensor& cell) {
  const tensor_list next = CellStep<Lstm>::apply(gates, recurrent.to(gates.scalar_type()), cell);
  return {next[0], next[1]};
}

LstmState lstm_sequence(const Tensor& gates, const Packing& packing, const Tensor& hidden_weight,
                        const LstmState& initial, bool backward) {
  require_rows(packing, gates);
  const auto states =
      Sequence<Lstm>::apply(gates, hidden_weight, std::optional<Tensor>(),
                            at::stack({initial.hidden, initial.cell}), packing.rows, backward)
          .unbind(0);
  return {states[0], states[1]};
}

Tensor ssru(const Tensor& candidate, const Tensor& forget, const std::vector<int64_t>& lengths) {
  return Ssru::apply(candidate, forget, lengths);
}

}  // namespace heed::kernels
