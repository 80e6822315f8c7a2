// Helpers for nodes of autograd's graph: how they take undefined tensors, and how their contexts
// carry an object that several nodes share.
#pragma once

#include <ATen/core/ivalue.h>
#include <torch/csrc/autograd/custom_function.h>

#include <memory>
#include <optional>
#include <utility>

#include "kernels/tensor.h"

namespace heed::kernels {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

/// x as a node takes it: nothing where x is undefined.
inline std::optional<Tensor> if_defined(const Tensor& x) {
  return x.defined() ? std::optional(x) : std::nullopt;
}

template <class T>
struct Handle : torch::CustomClassHolder {
  explicit Handle(std::shared_ptr<T> of) : shared(std::move(of)) {}
  std::shared_ptr<T> shared;
};

/// Keeps `shared` for the backward pass of this node.
template <class T>
void carry(AutogradContext* context, const std::shared_ptr<T>& shared) {
  context->saved_data["shared"] = c10::IValue::make_capsule(c10::make_intrusive<Handle<T>>(shared));
}

/// The object that carry() kept.
template <class T>
T& carried(AutogradContext* context) {
  return *static_cast<Handle<T>*>(context->saved_data["shared"].toCapsule().get())->shared;
}

}  // namespace heed::kernels
