// The file of a page where a command writes a page or a folder: the ending of -o decides.
#pragma once

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>

#include "base/files.h"
#include "base/run_folder.h"

namespace heed {

/// ".html" of "runs/Page.HTML"; "" where there is none.
inline std::string lower_ending(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::ranges::transform(ending, ending.begin(),
                         [](unsigned char letter) { return std::tolower(letter); });
  return ending;
}

inline bool is_page(const std::string& path) {
  const std::string ending = lower_ending(path);
  return ending == ".html" || ending == ".htm";
}

/// Returns the path itself where it is one of a page, or else that of a page in this folder.
inline std::string page_in(const std::string& path, const std::string& name) {
  return is_page(path) ? path : file_in(path, name);
}

/// Writes the page to page_in(), of which it makes the folder. Throws as write_atomic() and
/// make_folder().
inline void write_page(const std::string& path, const std::string& name, const std::string& page) {
  if (!is_page(path)) make_folder(path);
  write_atomic(page_in(path, name), page);
}

}  // namespace heed
