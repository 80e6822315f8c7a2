// The rules of docs/architecture.md, as functions over a source tree; each returns what breaks it,
// one line a breach.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace heed::architecture {

using Breaches = std::vector<std::string>;

struct Include {
  std::string path;
  bool is_own = false;  // in quotes, relative to src/ (or to the root, for apps/)
};

/// The source files below `root`/`folder` with their includes, by their path from `root`.
inline std::map<std::string, std::vector<Include>> includes_of(const std::filesystem::path& root,
                                                               const std::string& folder) {
  static const std::regex pattern(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
  std::map<std::string, std::vector<Include>> files;
  if (!std::filesystem::exists(root / folder)) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
    const std::string kind = entry.path().extension().string();
    if (kind != ".h" && kind != ".cpp") continue;
    auto& includes = files[std::filesystem::relative(entry.path(), root).generic_string()];
    std::ifstream in(entry.path());
    std::smatch match;
    for (std::string line; std::getline(in, line);)
      if (std::regex_search(line, match, pattern))
        includes.push_back({.path = match[2], .is_own = match[1] == "\""});
  }
  return files;
}

inline std::string folder_of(const std::string& path) {
  return path.substr(0, path.find('/'));
}

/// src/ is a stack of layers: a file may include only its own or a lower one.
inline Breaches upward_includes(const std::filesystem::path& root) {
  static const std::map<std::string, int> layers = {{"base", 0},  {"config", 1}, {"text", 2},
                                                    {"data", 3},  {"model", 4},  {"decode", 5},
                                                    {"train", 5}, {"eval", 6}};
  Breaches breaches;
  for (const auto& [path, includes] : includes_of(root, "src")) {
    const auto from = layers.find(folder_of(path.substr(4)));
    if (from == layers.end()) {
      breaches.push_back(path + " is in no known layer");
      continue;
    }
    for (const Include& include : includes) {
      if (!include.is_own) continue;
      const auto to = layers.find(folder_of(include.path));
      const bool known = to != layers.end();
      if (known && (to->second < from->second || to->first == from->first)) continue;
      breaches.push_back(path + " must not include " + include.path);
    }
  }
  return breaches;
}

/// Torch, directly or through heed's own headers, in a layer that works without it.
inline Breaches torch_includes(const std::filesystem::path& root) {
  static const std::set<std::string> without = {"base", "config", "text", "data", "eval"};
  static const std::set<std::string> torch = {"torch", "ATen", "c10", "caffe2"};
  const auto files = includes_of(root, "src");
  Breaches breaches;
  for (const auto& [path, own] : files) {
    if (!without.contains(folder_of(path.substr(4)))) continue;
    std::set<std::string> seen = {path};
    std::vector<std::string> open = {path};
    while (!open.empty()) {
      const auto file = files.find(open.back());
      open.pop_back();
      if (file == files.end()) continue;
      for (const Include& include : file->second) {
        if (torch.contains(folder_of(include.path)))
          breaches.push_back(path + " reaches " + include.path + " through " + file->first);
        if (include.is_own && seen.insert("src/" + include.path).second)
          open.push_back("src/" + include.path);
      }
    }
  }
  return breaches;
}

/// apps/ alone prints products: nothing in src/ writes to stdout.
inline Breaches writes_to_stdout(const std::filesystem::path& root) {
  static const std::regex pattern(R"(std::cout|\bstdout\b|\bputs\(|(^|[^a-z_])printf\()");
  Breaches breaches;
  for (const auto& [path, includes] : includes_of(root, "src")) {
    std::ifstream in(root / path);
    int number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      const std::string code = line.substr(0, line.find("//"));
      if (std::regex_search(code, pattern))
        breaches.push_back(path + ":" + std::to_string(number) + " writes to stdout");
    }
  }
  return breaches;
}

/// Files that have grown beyond what is read in one sitting.
inline Breaches long_files(const std::filesystem::path& root, int most) {
  Breaches breaches;
  for (const std::string folder : {"src", "apps", "tests"})
    for (const auto& [path, includes] : includes_of(root, folder)) {
      std::ifstream in(root / path);
      const auto lines = std::count(std::istreambuf_iterator<char>(in), {}, '\n');
      if (lines > most) breaches.push_back(path + " has " + std::to_string(lines) + " lines");
    }
  return breaches;
}

}  // namespace heed::architecture
