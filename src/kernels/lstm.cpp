#include "kernels/lstm.h"

#include <optional>

#include "kernels/rows/lstm.h"
#include "kernels/sequence.h"

namespace heed::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

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

}  // namespace

LstmState lstm_step(const Tensor& gates, const Tensor& recurrent, const Tensor& cell) {
  const tensor_list next = LstmStep::apply(gates, recurrent.to(gates.scalar_type()), cell);
  return {next[0], next[1]};
}

LstmState lstm_sequence(const Tensor& gates, const Packing& packing, const Tensor& hidden_weight,
                        const LstmState& initial, bool backward) {
  packing.require(gates);
  const auto states =
      Sequence<Lstm>::apply(gates, hidden_weight, std::optional<Tensor>(),
                            at::stack({initial.hidden, initial.cell}), packing.rows, backward)
          .unbind(0);
  return {states[0], states[1]};
}

}  // namespace heed::kernels
