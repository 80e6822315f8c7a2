// Small line-aligned text files, read whole.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace heed::text {

struct Pairs {
  std::vector<std::string> source, target;
};

/// Throws UserError for a file that is mostly not UTF-8 (require_utf8), as all here do.
std::vector<std::string> read_lines(const std::string& path);

/// Lines to translate or to look at. Throws UserError for a .tsv file whose lines have both sides.
std::vector<std::string> read_sources(const std::string& path);

/// The lines of `path`, one for each of the `lines` of `source`. Throws as require_equal_lines().
std::vector<std::string> read_equal_lines(const std::string& path, const std::string& source,
                                          std::size_t lines);

/// Without a target, `source` is a file of both sides. Throws UserError that names both files and
/// both counts where they differ in length, the line that has not just two sides, and of two files
/// the one that has both sides by its name.
Pairs read_pairs(const std::string& source, const std::string& target);

/// For what is measured by pairs: throws UserError where there is none with words. `source` is
/// their file.
void require_pairs(const Pairs& pairs, const std::string& source);

/// Those of which a side has words.
Pairs without_blank_pairs(const Pairs& pairs);

/// The next lines of a long file: what may be held in memory at once with its attention, which
/// grows with the square of a line's length. `lines` of them, or fewer long ones.
struct PairWindow {
  std::size_t first = 0;  // its first line, from 0
  Pairs pairs;
};
inline constexpr std::size_t kLinesOfAllHeads = 64;  // whose matrices are in memory at once
std::vector<PairWindow> windows_of(const Pairs& pairs, std::size_t lines = kLinesOfAllHeads);

/// Throws UserError unless both have as many lines.
void require_equal_lines(const std::string& path_a, std::size_t lines_a, const std::string& path_b,
                         std::size_t lines_b);

}  // namespace heed::text
