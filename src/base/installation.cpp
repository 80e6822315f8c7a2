#include "base/installation.h"

#include <dlfcn.h>

#include <filesystem>
#include <system_error>

#include "base/format.h"

namespace heed {

std::optional<std::string> installed_file(const std::string& name) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  const fs::path file = folder.parent_path() / name;
  if (folder.filename() != "bin" || !fs::is_regular_file(file, ignored)) return std::nullopt;
  return file.string();
}

std::string part_of_heed(const std::string& name) {
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  return installed_file("lib/heed/" + name).value_or((folder / name).string());
}

Plugin open_plugin(const std::string& name, const char* function, const std::string& needed) {
  const std::string file = part_of_heed(name);
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  const char* const why = library ? nullptr : dlerror();
  if (!library)
    return {nullptr, fmt::format("{}{}: {}; docs/gpu.md says how it is built", needed, file,
                                 why ? why : "it does not load")};
  void* const found = dlsym(library, function);
  return {found, found ? "" : file + ": is of another version of heed; build it anew"};
}

}  // namespace heed
