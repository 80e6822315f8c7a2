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

/// The rooms of src/, each with those that it stands directly on. A room inside a room
/// (`kernels/rows`) is one of its own.
inline const std::map<std::string, std::vector<std::string>>& rooms() {
  static const std::map<std::string, std::vector<std::string>> table = {
      {"base", {}},
      {"http", {"base"}},
      {"config", {"base"}},
      {"text", {"config"}},
      {"document", {"text"}},
      {"data", {"text"}},
      {"score", {"text"}},
      {"study", {"score"}},
      {"draw", {"study"}},
      {"kernels/rows", {"base"}},
      {"kernels", {"kernels/rows"}},
      {"model/description", {"config"}},
      {"model", {"data", "kernels", "model/description", "model/recurrent", "model/transformer"}},
      {"model/recurrent/attention", {"model"}},
      {"model/recurrent", {"model", "model/recurrent/attention"}},
      {"model/transformer", {"model"}},
      {"ranks", {"kernels"}},
      {"engine", {"model/description", "kernels/rows"}},
      {"decode/search", {"engine", "data", "document", "study"}},
      {"exchange", {"decode/search"}},
      {"decode", {"decode/search", "model", "model/recurrent", "model/transformer"}},
      {"train", {"model", "ranks", "score"}},
      {"inspect", {"decode"}},
      {"run", {"inspect", "draw", "train", "exchange"}},
      {"serve/answers", {"decode/search"}},
      {"web", {"serve/answers"}},
      {"serve", {"draw", "http", "serve/answers"}}};
  return table;
}

/// The room of a path below src/: the innermost one that is known, or "".
inline std::string room_of(std::string path) {
  while (path.find('/') != std::string::npos) {
    path = path.substr(0, path.rfind('/'));
    if (rooms().contains(path)) return path;
  }
  return "";
}

/// Whether `from` stands on `to`, directly or through others. The networks of `model` meet in its
/// own files alone: what stands on `model` does not see them by that.
inline bool stands_on(const std::string& from, const std::string& to) {
  std::set<std::string> seen;
  std::vector<std::string> open = {from};
  while (!open.empty()) {
    const std::string room = open.back();
    open.pop_back();
    for (const std::string& below : rooms().at(room)) {
      const bool network = below == "model/recurrent" || below == "model/transformer";
      if ((network && room == "model" && from != "model") || !seen.insert(below).second) continue;
      if (below == to) return true;
      open.push_back(below);
    }
  }
  return false;
}

/// src/ is a stack of rooms: a file may include only its own or one that it stands on. A table
/// (.def) stands on nothing, and belongs to all.
inline Breaches upward_includes(const std::filesystem::path& root) {
  Breaches breaches;
  for (const auto& [path, includes] : includes_of(root, "src")) {
    const std::string from = room_of(path.substr(4));
    if (from.empty()) {
      breaches.push_back(path + " is in no known room");
      continue;
    }
    for (const Include& include : includes) {
      if (!include.is_own || include.path.ends_with(".def")) continue;
      const std::string to = room_of(include.path);
      if (!to.empty() && (to == from || stands_on(from, to))) continue;
      breaches.push_back(path + " must not include " + include.path);
    }
  }
  return breaches;
}

/// A command sees the table of commands, the files of apps/cli/, and those of its own folder.
inline Breaches includes_between_commands(const std::filesystem::path& root) {
  Breaches breaches;
  for (const auto& [path, includes] : includes_of(root, "apps")) {
    const std::string folder = path.substr(0, path.rfind('/') + 1);
    for (const Include& include : includes) {
      if (!include.is_own || !include.path.starts_with("apps/")) continue;
      const bool shared = include.path.starts_with("apps/cli/");
      const bool own = folder != "apps/" && include.path.starts_with(folder);
      const bool table = include.path.starts_with("apps/commands.") && folder != "apps/cli/";
      if (!shared && !own && !table) breaches.push_back(path + " must not include " + include.path);
    }
  }
  return breaches;
}

/// No room holds more than `share` of the lines of src/ and apps/: it would be a hall.
inline Breaches large_rooms(const std::filesystem::path& root, double share) {
  std::map<std::string, double> lines;
  double all = 0;
  for (const std::string folder : {"src", "apps"})
    for (const auto& [path, includes] : includes_of(root, folder)) {
      std::ifstream in(root / path);
      const auto count =
          static_cast<double>(std::count(std::istreambuf_iterator<char>(in), {}, '\n'));
      lines[folder == "src" ? room_of(path.substr(4)) : path.substr(0, path.rfind('/'))] += count;
      all += count;
    }
  Breaches breaches;
  for (const auto& [room, count] : lines)
    if (count > share * all)
      breaches.push_back(room + " holds " + std::to_string(static_cast<int>(count)) + " of " +
                         std::to_string(static_cast<int>(all)) + " lines");
  return breaches;
}

/// Torch, directly or through heed's own headers, in a room that works without it.
inline Breaches torch_includes(const std::filesystem::path& root) {
  static const std::set<std::string> without = {"base",
                                                "http",
                                                "config",
                                                "text",
                                                "data",
                                                "score",
                                                "study",
                                                "draw",
                                                "kernels/rows",
                                                "model/description",
                                                "engine",
                                                "decode/search",
                                                "document",
                                                "exchange",
                                                "serve/answers",
                                                "serve",
                                                "web"};
  static const std::set<std::string> torch = {"torch", "ATen", "c10", "caffe2"};
  const auto files = includes_of(root, "src");
  Breaches breaches;
  for (const auto& [path, own] : files) {
    if (!without.contains(room_of(path.substr(4)))) continue;
    std::set<std::string> seen = {path};
    std::vector<std::string> open = {path};
    while (!open.empty()) {
      const auto file = files.find(open.back());
      open.pop_back();
      if (file == files.end()) continue;
      for (const Include& include : file->second) {
        if (torch.contains(include.path.substr(0, include.path.find('/'))))
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

/// What others wrote is parsed by base/json.h, which knows how deep it may be. A parser that tells
/// of one token after the other (sax_parse) builds nothing.
inline Breaches direct_parses_of_json(const std::filesystem::path& root) {
  static const std::regex pattern(R"([Jj]son::(parse|from_(cbor|msgpack|ubjson|bson|bjdata))\()");
  Breaches breaches;
  for (const std::string folder : {"src", "apps"})
    for (const auto& [path, includes] : includes_of(root, folder)) {
      if (path == "src/base/json.cpp") continue;
      std::ifstream in(root / path);
      int number = 0;
      for (std::string line; std::getline(in, line);) {
        ++number;
        if (std::regex_search(line.substr(0, line.find("//")), pattern))
          breaches.push_back(path + ":" + std::to_string(number) +
                             " parses JSON without base/json.h");
      }
    }
  return breaches;
}

/// What a locale says of a character is nothing where a machine has no files of locales, as in a
/// container: utf8proc says it (src/text/characters.cpp).
inline Breaches locale_includes(const std::filesystem::path& root) {
  static const std::set<std::string> headers = {"clocale",  "locale",  "locale.h",
                                                "wctype.h", "cwctype", "codecvt"};
  Breaches breaches;
  for (const std::string folder : {"src", "apps"})
    for (const auto& [path, includes] : includes_of(root, folder))
      for (const Include& include : includes)
        if (!include.is_own && headers.contains(include.path))
          breaches.push_back(path + " must not include " + include.path);
  return breaches;
}

}  // namespace heed::architecture
