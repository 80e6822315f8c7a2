// What Git leaves in place of a large file until `git lfs pull` fetches it.
#pragma once

#include <string_view>

namespace heed {

/// Whether the bytes are a pointer of Git LFS (its specification, version 1): some lines, of which
/// the first names the specification.
inline bool is_lfs_pointer(std::string_view bytes) {
  constexpr std::size_t kLongest = 1024;
  return bytes.size() < kLongest && bytes.starts_with("version https://git-lfs.github.com/spec/");
}

}  // namespace heed
