// The operations that the simulated accelerator has kernels for: making tensors, copying, what a
// GPU's library has and the CPU's has not, and autocast with the types of CUDA's.
#include <ATen/ATen.h>
#include <ATen/EmptyTensor.h>
#include <ATen/autocast_mode.h>
#include <torch/library.h>

#include <optional>
#include <sstream>
#include <tuple>

#include "accelerator/graphs.h"
#include "accelerator/internal.h"

namespace heed::accelerator {
namespace {

using at::Tensor;
using OptionalTensor = std::optional<Tensor>;

constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

/// Memory that is made while a graph is recorded is the graph's.
Tensor made(Tensor tensor) {
  if (Capture* const capture = Capture::current()) capture->owns(tensor);
  return tensor;
}

Tensor empty(at::IntArrayRef sizes, std::optional<at::ScalarType> type, std::optional<at::Layout>,
             std::optional<at::Device>, std::optional<bool>,
             std::optional<at::MemoryFormat> format) {
  return made(at::detail::empty_generic(sizes, c10::GetAllocator(at::kPrivateUse1), kKeys,
                                        type.value_or(at::kFloat), format));
}

Tensor empty_strided(at::IntArrayRef sizes, at::IntArrayRef strides,
                     std::optional<at::ScalarType> type, std::optional<at::Layout>,
                     std::optional<at::Device>, std::optional<bool>) {
  return made(at::detail::empty_strided_generic(sizes, strides, c10::GetAllocator(at::kPrivateUse1),
                                                kKeys, type.value_or(at::kFloat)));
}

/// Room is made, and nothing is kept: LibTorch resizes results that nobody has written yet.
const Tensor& resize(const Tensor& self, at::IntArrayRef sizes, std::optional<at::MemoryFormat>) {
  auto* const tensor = self.unsafeGetTensorImpl();
  const std::size_t bytes = at::detail::computeStorageNbytesContiguous(
      sizes, self.element_size(), static_cast<std::size_t>(self.storage_offset()));
  if (bytes > self.storage().nbytes()) {
    tensor->unsafe_storage().set_data_ptr_noswap(
        c10::GetAllocator(at::kPrivateUse1)->allocate(bytes));
    tensor->unsafe_storage().set_nbytes(bytes);
  }
  tensor->set_sizes_contiguous(sizes);
  return self;
}

std::string copy_of(const Tensor& tensor, const char* direction) {
  std::ostringstream text;
  text << direction << ' ' << tensor.scalar_type() << tensor.sizes();
  return text.str();
}

Tensor copy_from(const Tensor& from, const Tensor& to, bool non_blocking) {
  note_launch();
  if (from.is_privateuseone() && to.is_privateuseone()) {
    recorded({from, to},
             [from = same_memory(from), to = same_memory(to)] { as_cpu(to).copy_(as_cpu(from)); });
  } else if (from.is_privateuseone()) {
    const Tensor values = as_cpu(from);
    if (non_blocking && to.is_pinned() && to.is_contiguous()) {
      send_later(to, at::empty_like(to, at::TensorOptions().pinned_memory(false)).copy_(values));
    } else {
      note(Wait::kRead, copy_of(from, "copy to the host"));
      Tensor(to).copy_(values);
    }
  } else {
    // CUDA takes a copy from pinned memory along, which the host then uses for other things.
    Capture::refuse("a copy from the host");
    if (!non_blocking || !from.is_pinned()) note(Wait::kWrite, copy_of(from, "copy from the host"));
    as_cpu(to).copy_(from);
  }
  return to;
}

std::tuple<Tensor, Tensor> native_dropout(const Tensor& x, double share, std::optional<bool>) {
  const Tensor kept = at::empty(x.sizes(), x.options().dtype(at::kBool)).bernoulli_(1 - share);
  return {x * kept / (1 - share), kept};
}

// One step of at::gru and at::lstm, which a GPU has a kernel for. In differentiable operations:
// they need no kernel for the gradient.
std::tuple<Tensor, Tensor> gru_cell(const Tensor& input, const Tensor& recurrent,
                                    const Tensor& before, const OptionalTensor& input_bias,
                                    const OptionalTensor& recurrent_bias) {
  const auto from_input = (input_bias ? input + *input_bias : input).chunk(3, 1);
  const auto from_state = (recurrent_bias ? recurrent + *recurrent_bias : recurrent).chunk(3, 1);
  const Tensor reset = at::sigmoid(from_input[0] + from_state[0]);
  const Tensor kept = at::sigmoid(from_input[1] + from_state[1]);
  const Tensor candidate = at::tanh(from_input[2] + reset * from_state[2]);
  return {(before - candidate) * kept + candidate, Tensor()};
}

std::tuple<Tensor, Tensor, Tensor> lstm_cell(const Tensor& input, const Tensor& recurrent,
                                             const Tensor& before, const OptionalTensor& input_bias,
                                             const OptionalTensor& recurrent_bias) {
  Tensor sum = input + recurrent;
  if (input_bias) sum = sum + *input_bias + *recurrent_bias;
  const auto part = sum.chunk(4, 1);
  const Tensor cell = at::sigmoid(part[1]) * before + at::sigmoid(part[0]) * at::tanh(part[2]);
  return {at::sigmoid(part[3]) * at::tanh(cell), cell, Tensor()};
}

bool takes_the_place_of(const Tensor&, const Tensor&) {
  return true;
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", TORCH_FN(empty));
  m.impl("empty_strided", TORCH_FN(empty_strided));
  m.impl("resize_", TORCH_FN(resize));
  m.impl("_copy_from", TORCH_FN(copy_from));
  m.impl("native_dropout", TORCH_FN(native_dropout));
  // Module::to() puts tensors of one device into the place of another's.
  m.impl("_has_compatible_shallow_copy_type", TORCH_FN(takes_the_place_of));
}

// as_cpu() keeps both marks, and the CPU's copy knows them.
TORCH_LIBRARY_IMPL(aten, Conjugate, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}
TORCH_LIBRARY_IMPL(aten, Negative, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(aten, AutogradPrivateUse1, m) {
  m.impl("_thnn_fused_gru_cell", TORCH_FN(gru_cell));
  m.impl("_thnn_fused_lstm_cell", TORCH_FN(lstm_cell));
}

TORCH_LIBRARY_IMPL(_, AutocastPrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFallthrough());
}

#define HEED_LOWER(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, lower_precision_fp)
#define HEED_FP32(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32)
#define HEED_FP32_TYPE(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32_set_opt_dtype)
#define HEED_PROMOTE(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, promote)

TORCH_LIBRARY_IMPL(aten, AutocastPrivateUse1, m) {
  AT_FORALL_LOWER_PRECISION_FP(HEED_LOWER)
  AT_FORALL_FP32(HEED_FP32)
  AT_FORALL_FP32_SET_OPT_DTYPE(HEED_FP32_TYPE)
  AT_FORALL_PROMOTE(HEED_PROMOTE)
}

}  // namespace
}  // namespace heed::accelerator
