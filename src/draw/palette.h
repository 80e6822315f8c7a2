// Colours that stay apart for colour-blind eyes (Okabe and Ito 2008) and ink on paper for weights.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace heed::draw {

inline constexpr std::size_t kSeriesColors = 8;

/// The colour of the i-th series; repeats after kSeriesColors.
std::string series_color(std::size_t index);

using Colour = std::array<uint8_t, 3>;  // red, green, blue

/// White for 0, dark blue for 1; `share` is clamped to [0, 1].
Colour ink_colour(double share);
/// The same as "#107ab5".
std::string ink(double share);

}  // namespace heed::draw
