// What is installed around the program. It is BASE/bin/heed; what it needs lies in BASE/lib/heed,
// what comes with it in BASE/share/heed (cmake/HeedInstall.cmake). BASE is found from the program,
// so that it may lie anywhere.
#pragma once

#include <optional>
#include <string>

namespace heed {

/// BASE/NAME, where there is such a file. A program in a build folder has none.
std::optional<std::string> installed_file(const std::string& name);

/// The path of a part of heed: BASE/lib/heed/NAME or, of a program in a build folder, NAME beside
/// the program.
std::string part_of_heed(const std::string& name);

/// A function of a library that is a part of heed and loaded when it is wanted.
struct Plugin {
  void* function = nullptr;
  std::string problem;  // why there is none; empty where there is
};

/// Loads the library part_of_heed(name), and finds `function` in it. Where the library does not
/// load, the problem begins with `needed`.
Plugin open_plugin(const std::string& name, const char* function, const std::string& needed);

}  // namespace heed
