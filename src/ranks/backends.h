// c10d's part of a group (private to this room; group.h is the door).
#pragma once

#include <chrono>
#include <memory>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "ranks/group.h"
#include "ranks/rank_info.h"
#include "ranks/shared_memory.h"

namespace heed::ranks {

struct Group::Backends {
  StorePtr store;
  BackendPtr host, device;               // the same one on a CPU
  std::unique_ptr<SharedMemory> memory;  // where all ranks are heed's own on one machine

  c10d::Backend& of(const Tensor& tensor) const { return tensor.is_cpu() ? *host : *device; }
};

/// Returns the pause between two looks at what others have done: a small part of the time so far.
std::chrono::steady_clock::duration pause_after(std::chrono::steady_clock::duration time);

}  // namespace heed::ranks
