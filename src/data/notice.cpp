#include "data/notice.h"

#include <algorithm>
#include <cstddef>

#include "base/format.h"

namespace heed::data {
namespace {

constexpr std::size_t kLinesNamed = 10;

}  // namespace

void Notice::add(int64_t line) {
  ++count;
  if (lines.size() < kLinesNamed) lines.push_back(line);
}

void Notice::merge(const Notice& other) {
  count += other.count;
  lines.insert(lines.end(), other.lines.begin(), other.lines.end());
  std::ranges::sort(lines);
  lines.resize(std::min(lines.size(), kLinesNamed));
}

std::string Notice::list() const {
  std::string list;
  for (std::size_t i = 0; i < lines.size(); ++i)
    list += (i == 0 ? "" : ", ") + std::to_string(lines[i]);
  const int64_t more = count - static_cast<int64_t>(lines.size());
  if (more > 0) list += fmt::format(" and {} more", more);
  return list;
}

std::string Notice::text() const {
  return fmt::format("{} ({} {})", count, count == 1 ? "line" : "lines", list());
}

}  // namespace heed::data
