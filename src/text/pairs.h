// Small line-aligned text files, read whole.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace heed::text {

struct Pairs {
  std::vector<std::string> source, target;
};

/// The lines of a file. Throws UserError for a file that is mostly not UTF-8 (require_utf8), like
/// all functions here.
std::vector<std::string> read_lines(const std::string& path);

/// Lines to translate or to look at. Throws UserError for a .tsv file whose lines have both sides.
std::vector<std::string> read_sources(const std::string& path);

/// The lines of `path`, one for each of the `lines` of `source`. Throws what require_equal_lines()
/// throws.
std::vector<std::string> read_equal_lines(const std::string& path, const std::string& source,
                                          std::size_t lines);

/// The pairs of two files, or of `source` alone, a file of both sides, where `target` is empty.
/// Throws UserError where the files differ in length (it names both and their counts), where a line
/// has not exactly two sides, and where one of two files is by its name a file of both sides.
Pairs read_pairs(const std::string& source, const std::string& target);

/// Throws UserError where no pair has words, so that nothing can be measured. `source` is the file
/// that the message names.
void require_pairs(const Pairs& pairs, const std::string& source);

/// The pairs of which at least one side has words.
Pairs without_blank_pairs(const Pairs& pairs);

/// Consecutive lines of a long file: `lines` of them, or fewer long ones, because all of their
/// attention is held in memory at once, and grows with the square of a line's length.
struct PairChunk {
  std::size_t first = 0;  // index of its first line, from 0
  Pairs pairs;
};
inline constexpr std::size_t kLinesOfAllHeads = 64;  // lines whose matrices are in memory at once
std::vector<PairChunk> chunks_of(const Pairs& pairs, std::size_t lines = kLinesOfAllHeads);

/// Throws UserError unless both have as many lines.
void require_equal_lines(const std::string& path_a, std::size_t lines_a, const std::string& path_b,
                         std::size_t lines_b);

}  // namespace heed::text
