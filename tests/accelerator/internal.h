// Functions that the parts of the simulated accelerator share with each other.
#pragma once

#include <ATen/core/Generator.h>
#include <c10/core/DispatchKey.h>
#include <c10/core/Storage.h>

#include "accelerator/device.h"

namespace heed::accelerator {

/// The device's memory: addresses that the host cannot use.
c10::Allocator& memory();
/// Host memory that a copy may read and write while the host goes on.
c10::Allocator& pinned_memory();
bool is_pinned(const void* address);

/// The address at which the device's operations find what lies at `address` for tensors.
void* inside(void* address);

/// A tensor of the device as its operations see it: on the CPU, the same memory.
at::Tensor as_cpu(const at::Tensor& tensor);
/// A tensor in `storage` with the type and the layout of `like`.
at::Tensor view(const c10::Storage& storage, const at::Tensor& like, c10::DispatchKey device);

/// The generator of the device's operations where the caller names none. Each thread has one
/// of its own, as each process has with a GPU: ranks are threads here.
const at::Generator& default_generator();

/// Throws c10::Error while a graph is recorded: nothing of it may make the host wait.
void note(Wait kind, const std::string& what);
/// An operation that computes or copies.
void note_launch();
/// Bytes of all tensors ever made.
int64_t memory_ever_used();

/// `host`, pinned, becomes `values` when an event after this call is waited for. Until then it
/// holds bytes that are no sensible numbers.
void send_later(const at::Tensor& host, const at::Tensor& values);

}  // namespace heed::accelerator
