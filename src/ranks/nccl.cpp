// NCCL lies in a library of its own, libheed_nccl.so beside the program or, once installed, in
// lib/heed: this one is built without CUDA and runs without it.
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

#include "base/error.h"
#include "base/installation.h"
#include "ranks/backends.h"
#include "ranks/nccl_plugin.h"

namespace heed::ranks {

BackendPtr nccl_backend(const RankInfo& info, const GroupOptions& options, const StorePtr& store) {
  const Plugin plugin = open_plugin(kNcclPlugin, kMakeNccl, "several GPUs need ");
  if (!plugin.function) throw UserError(plugin.problem);
  const auto make = reinterpret_cast<MakeNccl>(plugin.function);
  auto own = c10::make_intrusive<c10d::PrefixStore>("devices", store);
  return BackendPtr::reclaim(make(own.get(), static_cast<int>(info.rank),
                                  static_cast<int>(info.size), options.timeout.count()));
}

}  // namespace heed::ranks
