// What is installed around the program. It is BASE/bin/heed or BASE/lib/heed/heed-torch; what both
// need lies in BASE/lib/heed, what comes with them in BASE/share/heed (cmake/HeedInstall.cmake).
// BASE is found from the program, so that it may lie anywhere.
#pragma once

#include <optional>
#include <string>

namespace heed {

/// BASE/NAME, where there is such a file. A program in a build folder has none.
std::optional<std::string> installed_file(const std::string& name);

/// The path of BASE/lib/heed/NAME or, of a program in a build folder, of NAME beside the program,
/// whether it is there or not.
std::string own_part(const std::string& name);

/// A function of a library that is a part of heed and loaded when it is wanted.
struct Plugin {
  void* function = nullptr;
  std::string problem;  // why there is none; empty where there is
};

/// Loads the library own_part(name), and finds `function` in it. Where the library does not load,
/// the problem begins with `needed`.
Plugin open_plugin(const std::string& name, const char* function, const std::string& needed);

}  // namespace heed
