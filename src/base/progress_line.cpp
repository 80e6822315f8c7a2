#include "base/progress_line.h"

#include <algorithm>
#include <cmath>

namespace heed {
namespace {

constexpr int kFewestCells = 5, kMostCells = 24;

int length_of(const std::string& text) {
  return static_cast<int>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::string progress_line(double share, const std::vector<ProgressField>& fields, int columns) {
  const double behind = std::isfinite(share) ? std::clamp(share, 0., 1.) : 0;
  std::string percent = std::to_string(static_cast<int>(100 * behind)) + " %";
  percent.insert(0, 5 - percent.size(), ' ');
  std::vector<ProgressField> shown;
  for (const ProgressField& field : fields)
    if (!field.text.empty()) shown.push_back(field);
  const auto room = [&] {  // for the bar's cells
    int left = columns - 2 - length_of(percent);
    for (const ProgressField& field : shown) left -= 2 + length_of(field.text);
    return left;
  };
  while (room() < kFewestCells) {
    const auto first = std::ranges::max_element(shown, {}, &ProgressField::drop);
    if (first == shown.end() || first->drop == 0) break;
    shown.erase(first);
  }
  const int cells = std::clamp(room(), kFewestCells, kMostCells);
  const auto full = static_cast<std::size_t>(behind * cells);
  std::string line = "[" + std::string(full, '#') + std::string(cells - full, '.') + "]" + percent;
  for (const ProgressField& field : shown) line += "  " + field.text;
  return line;
}

}  // namespace heed
