#include "kernels/gru.h"

#include <optional>

#include "kernels/rows/gru.h"
#include "kernels/sequence.h"

namespace heed::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

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

}  // namespace

Tensor gru_step(const Tensor& gates, const Tensor& recurrent, const Tensor& before) {
  return GruStep::apply(gates, recurrent.to(gates.scalar_type()), before);
}

Tensor gru_sequence(const Tensor& gates, const Packing& packing, const Tensor& hidden_weight,
                    const Tensor& hidden_bias, const Tensor& initial, bool backward) {
  packing.require(gates);
  return Sequence<Gru>::apply(gates, hidden_weight, std::optional(hidden_bias),
                              initial.unsqueeze(0), packing.rows, backward)
      .squeeze(0);
}

}  // namespace heed::kernels
