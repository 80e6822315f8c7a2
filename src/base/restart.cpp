#include "base/restart.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace heed {

void restart_with(const char* variable, const char* value, char** arguments) {
  std::error_code error;
  // By its own path: a program that is started by that of the link is called "exe".
  const std::string program = std::filesystem::read_symlink("/proc/self/exe", error).string();
  if (error || ::setenv(variable, value, /*overwrite=*/1) != 0) return;
  ::execv(program.c_str(), arguments);
  ::unsetenv(variable);
}

}  // namespace heed
