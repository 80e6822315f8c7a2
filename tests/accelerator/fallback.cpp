// Operations of the simulated accelerator that it has no kernel of its own for: by LibTorch's CPU
// kernels, on the memory as the device sees it.
#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <torch/library.h>

#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "accelerator/graphs.h"
#include "accelerator/internal.h"

namespace heed::accelerator {
namespace {

using c10::IValue;

/// The shape of what they return depends on values, so that the host has to know these.
bool depends_on_values(const std::string& operation) {
  static const std::set<std::string> names{
      "aten::nonzero",    "aten::masked_select",      "aten::repeat_interleave",
      "aten::_unique",    "aten::_unique2",           "aten::unique_dim",
      "aten::bincount",   "aten::unique_consecutive", "aten::unique_dim_consecutive",
      "aten::histogramdd"};
  return names.contains(operation);
}

/// Whether the operation gives another view of a tensor and computes nothing.
bool is_view(const c10::FunctionSchema& schema) {
  const auto& results = schema.returns();
  return !results.empty() && results[0].alias_info() && !results[0].alias_info()->isWrite();
}

/// The value with another tensor for each of its own.
IValue with_tensors(const IValue& value,
                    const std::function<at::Tensor(const at::Tensor&)>& other) {
  if (value.isTensor()) return other(value.toTensor());
  if (value.isTensorList()) {
    c10::List<at::Tensor> list;
    for (const at::Tensor& one : value.toTensorVector()) list.push_back(other(one));
    return list;
  }
  if (value.isOptionalTensorList()) {
    c10::List<std::optional<at::Tensor>> list;
    for (const std::optional<at::Tensor>& one : value.toOptionalTensorVector())
      list.push_back(one ? std::optional(other(*one)) : std::nullopt);
    return list;
  }
  return value;
}

/// One operation with its tensors as the CPU sees them.
class Call {
 public:
  explicit Call(const c10::OperatorHandle& operation) : name_(operation.schema().name()) {}

  IValue argument(const IValue& value, const std::string& name) {
    if (value.isDevice()) return c10::Device(at::kCPU);
    if (value.isNone() && name == "generator") return default_generator();
    return with_tensors(value, [this](const at::Tensor& one) { return there(one); });
  }

  IValue result(const IValue& value) {
    if (!value.isTensor() && !value.isTensorList()) note(Wait::kRead, name_);  // a number
    return with_tensors(value, [this](const at::Tensor& one) { return back(one); });
  }

 private:
  at::Tensor there(const at::Tensor& tensor) {
    if (!tensor.defined()) return tensor;
    if (tensor.is_privateuseone()) return seen_.emplace_back(tensor, as_cpu(tensor)).second;
    TORCH_CHECK(tensor.is_cpu() && tensor.dim() == 0, name_, ": a tensor of the device ",
                tensor.device(), " among tensors of ", device());
    return tensor;
  }

  /// The argument itself, a view of one, or a copy.
  at::Tensor back(const at::Tensor& made) const {
    if (!made.defined()) return made;
    for (const auto& [tensor, alias] : seen_) {
      if (!made.is_same(alias)) continue;
      if (made.sizes() == tensor.sizes()) return tensor;
      tensor.resize_(made.sizes());  // a result that had no room yet
      as_cpu(tensor).copy_(made);
      return tensor;
    }
    for (const auto& [tensor, alias] : seen_)
      if (made.storage().data() == alias.storage().data() && made.storage().data() != nullptr)
        return view(tensor.storage(), made, c10::DispatchKey::PrivateUse1);
    at::Tensor copy =
        at::empty_strided(made.sizes(), made.strides(), made.options().device(device()));
    as_cpu(copy).copy_(made);
    return copy;
  }

  std::string name_;
  std::vector<std::pair<at::Tensor, at::Tensor>> seen_;  // of the device, as the CPU sees it
};

void compute(const c10::OperatorHandle& operation, torch::jit::Stack* stack) {
  Call call(operation);
  if (!is_view(operation.schema())) note_launch();
  if (depends_on_values(operation.schema().name())) note(Wait::kRead, operation.schema().name());
  const auto& names = operation.schema().arguments();
  IValue* const first = &*stack->end() - names.size();
  for (std::size_t i = 0; i < names.size(); ++i)
    first[i] = call.argument(first[i], names[i].name());
  operation.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack);
  for (auto value = stack->end() - static_cast<std::ptrdiff_t>(operation.schema().returns().size());
       value != stack->end(); ++value)
    *value = call.result(*value);
}

std::vector<at::Tensor> tensors_of(c10::ArrayRef<IValue> values) {
  std::vector<at::Tensor> all;
  for (const IValue& value : values)
    with_tensors(value, [&](const at::Tensor& one) { return all.emplace_back(one); });
  return all;
}

std::vector<IValue> in_same_memory(c10::ArrayRef<IValue> values) {
  std::vector<IValue> all;
  for (const IValue& value : values) all.push_back(with_tensors(value, same_memory));
  return all;
}

/// Computes, and where a graph is recorded keeps what is needed to compute into the same memory
/// again.
void run(const c10::OperatorHandle& operation, torch::jit::Stack* stack) {
  Capture* const capture = Capture::current();
  if (!capture) return compute(operation, stack);
  const auto last = [&](std::size_t count) {
    return c10::ArrayRef<IValue>(*stack).slice(stack->size() - count);
  };
  const auto arguments = in_same_memory(last(operation.schema().arguments().size()));
  capture->before(tensors_of(arguments));
  compute(operation, stack);
  const auto results = tensors_of(in_same_memory(last(operation.schema().returns().size())));
  capture->add([operation, arguments, results] {
    torch::jit::Stack values = arguments;
    compute(operation, &values);
    put_back(tensors_of(values), results);
  });
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&run>());
}

}  // namespace

at::Tensor view(const c10::Storage& storage, const at::Tensor& like, c10::DispatchKey device) {
  at::Tensor out = at::detail::make_tensor<c10::TensorImpl>(
      c10::Storage(storage), c10::DispatchKeySet(device), like.dtype());
  out.unsafeGetTensorImpl()->set_sizes_and_strides(like.sizes(), like.strides(),
                                                   like.storage_offset());
  out._set_conj(like.is_conj());
  out._set_neg(like.is_neg());
  return out;
}

at::Tensor as_cpu(const at::Tensor& tensor) {
  const c10::Storage& storage = tensor.storage();
  return view(c10::Storage(c10::Storage::use_byte_size_t(), storage.nbytes(),
                           c10::DataPtr(inside(storage.mutable_data()), at::kCPU),
                           c10::GetAllocator(at::kCPU), /*resizable=*/true),
              tensor, c10::DispatchKey::CPU);
}

}  // namespace heed::accelerator
