// NCCL lies in a library of its own, libheed_nccl.so beside the program or, once installed, in
// lib/heed: this one is built without CUDA and runs without it.
#include <dlfcn.h>

#include <filesystem>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

#include "base/error.h"
#include "base/installation.h"
#include "ranks/backends.h"
#include "ranks/nccl_plugin.h"

namespace heed::ranks {

BackendPtr nccl_backend(const Place& place, const GroupOptions& options, const StorePtr& store) {
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const std::string file = installed_file(std::string("lib/heed/") + kNcclPlugin)
                               .value_or((folder / kNcclPlugin).string());
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  const char* const why = library ? nullptr : dlerror();
  if (!library)
    throw UserError("several GPUs need " + file + ": " + (why ? why : "it does not load") +
                    "; docs/gpu.md says how it is built");
  const auto make = reinterpret_cast<MakeNccl>(dlsym(library, kMakeNccl));
  if (!make) throw UserError(file + ": is of another version of heed; build it anew");
  auto own = c10::make_intrusive<c10d::PrefixStore>("devices", store);
  return BackendPtr::reclaim(make(own.get(), static_cast<int>(place.rank),
                                  static_cast<int>(place.size), options.timeout.count()));
}

}  // namespace heed::ranks
