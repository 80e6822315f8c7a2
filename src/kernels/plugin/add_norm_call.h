// The tensors of add_norm() as what its kernels are called with.
#pragma once

#include "kernels/layer_norm.h"
#include "kernels/plugin/add_norm.cuh"

namespace heed::kernels::gpu {

/// What is kept of a share, without a seed.
inline Draw draw_of(double share) {
  Draw draw;
  draw.threshold = static_cast<Word>(share * 16777216.0);
  draw.scale = static_cast<float>(1 / (1 - share));
  return draw;
}

template <class T = float>
T* address(const Tensor& x) {
  return static_cast<T*>(x.data_ptr());
}

inline AddNorm arguments(const AddNormForward& call, const Draw& draw) {
  return {.residual = address(call.residual),
          .x = address<void>(call.x),
          .weight = address(call.weight),
          .bias = address(call.bias),
          .sum = address(call.sum),
          .normed = address<void>(call.normed),
          .moments = address(call.moments),
          .drawn = address<Long>(call.drawn),
          .draw = draw,
          .eps = static_cast<float>(call.eps)};
}

inline AddNormGradient arguments(const AddNormBackward& call) {
  Draw draw = draw_of(call.share);
  draw.seed_at = address<Long>(call.drawn);
  draw.offset_at = draw.seed_at + 1;
  return {.outer_sum = address(call.outer_sum),
          .outer_normed = address<void>(call.outer_normed),
          .sum = address(call.sum),
          .weight = address(call.weight),
          .moments = address(call.moments),
          .to_residual = address(call.to_residual),
          .to_x = address<void>(call.to_x),
          .to_weights = address(call.to_weights),
          .draw = draw,
          .rows = static_cast<Long>(call.moments.size(0))};
}

}  // namespace heed::kernels::gpu
