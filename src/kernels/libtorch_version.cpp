#include "kernels/libtorch_version.h"

#include <dlfcn.h>
#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/headeronly/version.h>

#include <filesystem>

#include "base/error.h"
#include "base/format.h"

namespace heed::kernels {
namespace {

std::string series(uint64_t version) {
  return fmt::format("{}.{}", version >> 56, version >> 48 & 0xff);
}

std::string folder_of_libtorch() {
  Dl_info library;
  return ::dladdr(reinterpret_cast<const void*>(&aoti_torch_abi_version), &library) != 0
             ? std::filesystem::path(library.dli_fname).parent_path().string()
             : "?";
}

}  // namespace

std::string why_not_libtorch(uint64_t compiled, uint64_t found, const std::string& folder) {
  if (series(compiled) == series(found)) return "";
  return fmt::format(
      "{}: this is LibTorch {}.{}, and heed was built with {}, which does not fit; install torch "
      "{}.*, or build heed with the other one (docs/install.md)",
      folder, series(found), found >> 40 & 0xff, series(compiled), series(compiled));
}

void require_libtorch_of_headers() {
  const std::string why =
      why_not_libtorch(TORCH_ABI_VERSION, aoti_torch_abi_version(), folder_of_libtorch());
  if (!why.empty()) throw Failure("{}", why);
}

}  // namespace heed::kernels
