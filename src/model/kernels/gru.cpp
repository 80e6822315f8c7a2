#include "model/kernels/gru.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <numeric>

#include "base/error.h"
#include "model/kernels/gru_rows.h"
#include "model/kernels/product.h"

namespace heed::model::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

/// A stretch of places: the rows of one step.
struct Step {
  int64_t begin = 0, rows = 0;
};

/// In the order of computation.
std::vector<Step> steps_of(const std::vector<int64_t>& rows, bool backward) {
  std::vector<Step> steps;
  for (int64_t begin = 0; const int64_t count : rows) {
    steps.push_back({begin, count});
    begin += count;
  }
  if (backward) std::reverse(steps.begin(), steps.end());
  return steps;
}

template <class T>
T* data(const Tensor& x) {
  if constexpr (std::is_same_v<T, float>)
    return x.data_ptr<float>();
  else
    return reinterpret_cast<T*>(x.data_ptr<at::BFloat16>());
}

/// Rows that are worth a thread.
int64_t grain(int64_t hidden) {
  return std::max<int64_t>(1, 8192 / hidden);
}

template <class T>
void point_forward(const Tensor& gates, const Tensor& recurrent, const Tensor& before,
                   const Tensor& states, const Tensor& kept) {
  const int64_t hidden = states.size(1);
  at::parallel_for(0, states.size(0), grain(hidden), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      gru_row(data<T>(gates) + 3 * hidden * i, data<T>(recurrent) + 3 * hidden * i,
              data<float>(before) + hidden * i, data<float>(states) + hidden * i,
              data<T>(kept) + 4 * hidden * i, hidden);
  });
}

template <class T>
void point_backward(const Tensor& kept, const Tensor& before, const Tensor& carried,
                    const Tensor& gates, const Tensor& recurrent) {
  const int64_t hidden = before.size(1);
  at::parallel_for(0, before.size(0), grain(hidden), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      float* row = data<float>(carried) + hidden * i;
      gru_row_gradient(data<T>(kept) + 4 * hidden * i, data<float>(before) + hidden * i, row,
                       data<T>(gates) + 3 * hidden * i, data<T>(recurrent) + 3 * hidden * i, row,
                       hidden);
    }
  });
}

class GruSequence : public torch::autograd::Function<GruSequence> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& gates, const Tensor& hidden_weight,
                        const Tensor& hidden_bias, const Tensor& initial,
                        const std::vector<int64_t>& rows, bool backward) {
    const auto type = gates.scalar_type();
    const Tensor x = gates.contiguous(), weight = hidden_weight.to(type),
                 bias = hidden_bias.to(type);
    const int64_t hidden = hidden_weight.size(1), places = x.size(0);
    const Tensor states = at::empty({places, hidden}, initial.options());
    const Tensor before = at::empty_like(states),
                 kept = at::empty({places, 4 * hidden}, x.options());
    const Tensor state = initial.clone(at::MemoryFormat::Contiguous);
    for (const Step& step : steps_of(rows, backward)) {
      const auto part = [&](const Tensor& all) { return all.narrow(0, step.begin, step.rows); };
      const Tensor now = state.narrow(0, 0, step.rows);
      part(before).copy_(now);
      const Tensor product = times_transposed(now.to(type), weight, bias);
      type == at::kFloat
          ? point_forward<float>(part(x), product, part(before), part(states), part(kept))
          : point_forward<uint16_t>(part(x), product, part(before), part(states), part(kept));
      now.copy_(part(states));
    }
    context->save_for_backward({hidden_weight, before, kept});
    context->saved_data["rows"] = rows;
    context->saved_data["backward"] = backward;
    return states;
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& outer) {
    const auto saved = context->get_saved_variables();
    const Tensor &before = saved[1], &kept = saved[2];
    const auto type = kept.scalar_type();
    const Tensor weight = saved[0].to(type);
    const std::vector<int64_t> rows = context->saved_data["rows"].toIntVector();
    const int64_t hidden = before.size(1);
    const Tensor from = outer[0].contiguous();
    const Tensor to_gates = at::empty({before.size(0), 3 * hidden}, kept.options());
    const Tensor to_recurrent = at::empty_like(to_gates);
    const Tensor carried = at::zeros({rows.front(), hidden}, before.options());
    auto steps = steps_of(rows, context->saved_data["backward"].toBool());
    std::reverse(steps.begin(), steps.end());
    for (const Step& step : steps) {
      const auto part = [&](const Tensor& all) { return all.narrow(0, step.begin, step.rows); };
      Tensor now = carried.narrow(0, 0, step.rows);
      now.add_(part(from));
      type == at::kFloat
          ? point_backward<float>(part(kept), part(before), now, part(to_gates), part(to_recurrent))
          : point_backward<uint16_t>(part(kept), part(before), now, part(to_gates),
                                     part(to_recurrent));
      now.add_(times_transposed(part(to_recurrent), weight.t()));
    }
    const Tensor to_weight = at::mm(to_recurrent.t(), before.to(type)).to(saved[0].scalar_type());
    const Tensor to_bias = to_recurrent.sum(0, false, saved[0].scalar_type());
    return {to_gates, to_weight, to_bias, carried, Tensor(), Tensor()};
  }
};

class GruStep : public torch::autograd::Function<GruStep> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& gates, const Tensor& recurrent,
                        const Tensor& before) {
    const Tensor x = gates.contiguous(), u = recurrent.contiguous(), h = before.contiguous();
    const Tensor state = at::empty_like(h),
                 kept = at::empty({h.size(0), 4 * h.size(1)}, x.options());
    x.scalar_type() == at::kFloat ? point_forward<float>(x, u, h, state, kept)
                                  : point_forward<uint16_t>(x, u, h, state, kept);
    context->save_for_backward({h, kept});
    return state;
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& outer) {
    const auto saved = context->get_saved_variables();
    const Tensor &before = saved[0], &kept = saved[1];
    const Tensor carried = outer[0].clone(at::MemoryFormat::Contiguous);
    const Tensor to_gates = at::empty({before.size(0), 3 * before.size(1)}, kept.options());
    const Tensor to_recurrent = at::empty_like(to_gates);
    kept.scalar_type() == at::kFloat
        ? point_backward<float>(kept, before, carried, to_gates, to_recurrent)
        : point_backward<uint16_t>(kept, before, carried, to_gates, to_recurrent);
    return {to_gates, to_recurrent, carried};
  }
};

}  // namespace

Tensor gru_step(const Tensor& gates, const Tensor& recurrent, const Tensor& before) {
  return GruStep::apply(gates, recurrent.to(gates.scalar_type()), before);
}

bool can_run_gru(const Tensor& gates, const Tensor& state) {
  return gates.is_cpu() && state.scalar_type() == at::kFloat &&
         (gates.scalar_type() == at::kFloat || gates.scalar_type() == at::kBFloat16);
}

int64_t Packing::places() const {
  return std::accumulate(rows.begin(), rows.end(), int64_t{0});
}

Tensor gru_sequence(const Tensor& gates, const Packing& packing, const Tensor& hidden_weight,
                    const Tensor& hidden_bias, const Tensor& initial, bool backward) {
  expect(!packing.rows.empty() && gates.size(0) == packing.places(), "gates for every place");
  return GruSequence::apply(gates, hidden_weight, hidden_bias, initial, packing.rows, backward);
}

}  // namespace heed::model::kernels
