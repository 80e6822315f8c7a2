// Layer norm (Ba et al. 2016) whose result has the type that the next product wants: no copy of it
// in another one. CPU, fp32 inside. The readable twin is at::layer_norm.
#pragma once

#include <c10/core/Device.h>

#include <string>

#include "kernels/tensor.h"

namespace heed::kernels {

/// (x - mean) / sqrt(variance + eps) * weight + bias over the last dimension of x [..., width],
/// weight and bias [width]: in fp32 or, under autocast and where a gradient is wanted, in the
/// products' type. What the kernel does not take (another device or type, no gradient) is
/// at::layer_norm's.
Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double eps);

// residual + dropout(x) and the layer norm of that sum as one node of the graph, for a GPU: one
// kernel forward and two backward, where LibTorch has four and seven. The result has the type that
// the next product wants. The readable twin is model::add_norm() without these kernels.
//
// Off, but for HEED_FUSED=1 in the environment: no GPU has shown yet that they are right and
// faster.

struct SumAndNorm {
  Tensor sum, norm;
};

/// Whether add_norm() takes them: kernels for their device that are switched on, an fp32 residual
/// [..., width], x of the same shape and weight [width] in fp32. x has the type that products of
/// `residual` have, fp32 or bf16. Throws UserError where HEED_FUSED=1 and the kernels do not load.
bool can_add_norm(const Tensor& residual, const Tensor& x, const Tensor& weight);

/// sum = residual + dropout(x), in fp32, and (sum - mean) / sqrt(variance + eps) * weight + bias
/// over the last dimension, of x's type. 0 <= share < 1. The mask is new in each replay of a graph.
SumAndNorm add_norm(const Tensor& residual, const Tensor& x, double share, const Tensor& weight,
                    const Tensor& bias, double eps);

/// What is computed of what. All are contiguous, on one device, and begin at multiples of 16 bytes.
struct AddNormForward {
  Tensor residual, x, weight, bias;
  Tensor sum, normed, moments, drawn;  // written; as gpu::AddNorm (plugin/add_norm.cuh) says
  double eps = 0, share = 0;
};
struct AddNormBackward {
  Tensor outer_sum, outer_normed, sum, weight, moments, drawn;
  Tensor to_residual, to_x, to_weights;  // written; as gpu::AddNormGradient says
  double share = 0;
};

/// The kernels of a kind of device.
class AddNormKernels {
 public:
  virtual ~AddNormKernels() = default;
  virtual void forward(const AddNormForward& call) = 0;
  virtual void backward(const AddNormBackward& call) = 0;

  /// For devices of this type; lives as long as the process. That of GPUs is in a library beside
  /// the program.
  static void set(at::DeviceType type, AddNormKernels* kernels);
  /// Why there are none for this device, switched on or not; empty where there are.
  static std::string why_not(const at::Device& device);
  /// Switches them on or off for this process. Returns what they were.
  static bool use(bool wanted);
};

}  // namespace heed::kernels
