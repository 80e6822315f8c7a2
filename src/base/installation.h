// What is installed around the program. It is BASE/bin/heed; what it needs lies in BASE/lib/heed,
// what comes with it in BASE/share/heed (cmake/HeedInstall.cmake). BASE is found from the program,
// so that it may lie anywhere.
#pragma once

#include <optional>
#include <string>

namespace heed {

/// BASE/NAME, where there is such a file. A program in a build folder has none.
std::optional<std::string> installed_file(const std::string& name);

}  // namespace heed
