#include "draw/palette.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/format.h"

namespace heed::draw {
namespace {

// Lightness falls evenly, so the order survives print and every kind of colour vision.
constexpr std::array<Colour, 5> kInk = {
    {{255, 255, 255}, {199, 220, 239}, {107, 174, 214}, {33, 113, 181}, {8, 29, 88}}};

}  // namespace

std::string series_color(std::size_t index) {
  constexpr std::array<const char*, kSeriesColors> kColors = {
      "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f3c8d", "#444444"};
  return kColors[index % kColors.size()];
}

Colour ink_colour(double share) {
  const double position = std::clamp(std::isnan(share) ? 0.0 : share, 0.0, 1.0) * (kInk.size() - 1);
  const auto from = std::min(static_cast<std::size_t>(position), kInk.size() - 2);
  const double part = position - static_cast<double>(from);
  Colour mixed{};
  for (std::size_t i = 0; i < 3; ++i) {
    mixed[i] = static_cast<uint8_t>(
        std::lround(kInk[from][i] + part * (kInk[from + 1][i] - kInk[from][i])));
  }
  return mixed;
}

std::string ink(double share) {
  const auto [red, green, blue] = ink_colour(share);
  return fmt::format("#{:02x}{:02x}{:02x}", red, green, blue);
}

}  // namespace heed::draw
