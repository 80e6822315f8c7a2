// The numbers of lines to which something happened.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heed::data {

/// A number of lines, and the first ten of them.
struct Notice {
  int64_t count = 0;
  std::vector<int64_t> lines;  // in order
  void add(int64_t line);
  /// Adds the lines of `other`, in any order.
  void merge(const Notice& other);
  std::string list() const;  // "4, 17, 90"; "1, ... and 2 more"
  std::string text() const;  // "3 (lines 4, 17, 90)"; "12 (lines 1, ... and 2 more)"
};

}  // namespace heed::data
