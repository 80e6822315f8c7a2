// Files that are installed with the program. The program is BASE/bin/heed or
// BASE/lib/heed/heed-torch; libraries of both lie in BASE/lib/heed, configurations and data scripts
// in BASE/share/heed (cmake/HeedInstall.cmake). BASE is found from the program, so that it may lie
// anywhere.
#pragma once

#include <optional>
#include <string>

namespace heed {

/// The path BASE/NAME, where there is such a file. A program in a build folder has none.
std::optional<std::string> installed_file(const std::string& name);

/// The path of BASE/lib/heed/NAME or, for a program in a build folder, of NAME beside the program,
/// whether there is such a file or not.
std::string own_part(const std::string& name);

/// A function of a library that belongs to heed and is loaded only when it is needed.
struct Plugin {
  void* function = nullptr;
  std::string problem;  // why there is no function; empty where there is one
};

/// Loads the library own_part(name), and finds `function` in it. Where the library does not load,
/// the problem begins with `needed`.
Plugin open_plugin(const std::string& name, const char* function, const std::string& needed);

}  // namespace heed
