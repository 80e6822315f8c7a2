// Lines of a file, held to what text/lines.h promises of each.
#pragma once

#include "fuzz/target.h"
#include "text/lines.h"
#include "text/utf8.h"

namespace heed::fuzz {

inline std::vector<std::string> read_clean_lines(std::string_view file) {
  const InputFile input(file);
  text::LineReader reader(input.path());
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) {
    expect(line.find('\n') == std::string::npos, "a line feed in a line");
    expect(text::repair(line) == line, "a line that is not clean");
    lines.push_back(line);
  }
  expect(reader.line_number() == static_cast<int64_t>(lines.size()), "lines are counted wrongly");
  return lines;
}

/// The same text plain and in an archive: `pack` makes it.
template <class Pack>
void compare_with_archive(std::string_view text, const Pack& pack) {
  std::vector<std::string> plain;
  // Text that begins like an archive is none.
  if (!answers([&] { plain = read_clean_lines("x" + std::string(text)); })) return;
  expect(read_clean_lines(pack("x" + std::string(text))) == plain, "an archive with other lines");
}

}  // namespace heed::fuzz
