// Matrix products with weights, and how their matrices should lie in memory. In fp32 on x86 they
// are oneDNN's, which uses the processor's widest vectors on every make; ATen's own choice, MKL,
// does not. oneDNN multiplies fastest where no side has to be read across its rows, 1.1 to 2 times
// as fast: transposing a weight, or the smaller side of a weight's gradient, costs far less.
#pragma once

#include <memory>

#include "kernels/tensor.h"

namespace heed::kernels {

/// The transpose of x [rows, columns], contiguous on the CPU, in `type`: [columns, rows],
/// contiguous. x and `type` are fp32 or bf16.
Tensor transposed(const Tensor& x, at::ScalarType type);

inline Tensor transposed(const Tensor& x) {
  return transposed(x, x.scalar_type());
}

/// The gradient of a bias: x [rows, columns] on the CPU, contiguous, fp32 or bf16 -> [columns]
/// fp32, whose bits do not depend on the number of threads. at::sum copies bf16 into fp32 first.
Tensor column_sums(const Tensor& x);

/// w [out, in] in `type` with contiguous columns, for which x w^T is fastest. It has no gradient.
Tensor weight_by_columns(const Tensor& w, at::ScalarType type);

/// x [rows, in] times the transpose of w [out, in], whose rows or columns are contiguous, plus bias
/// [out] if defined. All are of one type. The result has no gradient.
Tensor times_transposed(const Tensor& x, const Tensor& w, const Tensor& bias = {});

/// The gradient of such a w: the transpose of `outer` [rows, out] times x [rows, in], [out, in],
/// contiguous, in `type`. It has no gradient of its own.
Tensor weight_gradient(const Tensor& outer, const Tensor& x, at::ScalarType type);

/// at::linear with a gradient, in autocast's type where that is on: x [..., in], w [out, in], bias
/// [out] or undefined.
Tensor linear(const Tensor& x, const Tensor& w, const Tensor& bias = {});

/// The type that a product with this factor is computed in, autocast included.
at::ScalarType product_type(const Tensor& factor);

// A weight that many steps of a recurrence multiply with. Its gradient is one product at the end
// instead of one small product for each step.

/// A weight [out, in] and its bias ([out] or undefined) as the steps of one sequence use them.
/// If no gradient is wanted and for doubles there is no collector, and a step is at::linear.
struct Collected {
  struct Collector;

  Tensor weight, bias;  // the weight is through which autograd waits for every step
  std::shared_ptr<Collector> collector;
};
Collected collected(const Tensor& weight, const Tensor& bias = {});

/// x [..., in] -> [..., out]: x weight^T + bias, in autocast's type where that is on. The twin is
/// at::linear.
Tensor collected_linear(const Tensor& x, const Collected& layer);

}  // namespace heed::kernels
