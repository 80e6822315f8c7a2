#include "base/installation.h"

#include <filesystem>
#include <system_error>

namespace heed {

std::optional<std::string> installed_file(const std::string& name) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  const fs::path file = folder.parent_path() / name;
  if (folder.filename() != "bin" || !fs::is_regular_file(file, ignored)) return std::nullopt;
  return file.string();
}

}  // namespace heed
