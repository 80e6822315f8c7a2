#include "base/installation.h"

#include <dlfcn.h>

#include <filesystem>
#include <system_error>

#include "base/format.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

fs::path own_folder() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).parent_path();
}

}  // namespace

std::optional<std::string> installed_file(const std::string& name) {
  fs::path folder = own_folder();
  if (folder.filename() == "heed") folder = folder.parent_path();
  if (folder.filename() != "bin" && folder.filename() != "lib") return std::nullopt;
  const fs::path file = folder.parent_path() / name;
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return std::nullopt;
  return file.string();
}

std::string own_part(const std::string& name) {
  return installed_file("lib/heed/" + name).value_or((own_folder() / name).string());
}

Plugin open_plugin(const std::string& name, const char* function, const std::string& needed) {
  const std::string file = own_part(name);
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  const char* const why = library ? nullptr : dlerror();
  if (!library)
    return {nullptr, fmt::format("{}{}: {}; docs/gpu.md says how it is built", needed, file,
                                 why ? why : "it does not load")};
  void* const found = dlsym(library, function);
  return {found, found ? "" : file + ": is of another version of heed; build it anew"};
}

}  // namespace heed
