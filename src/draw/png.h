// Pictures of pixels, for programs that take no SVG.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "study/attention_matrix.h"

namespace heed::draw {

/// A PNG file of rows of red, green and blue, 3 x width x height bytes.
std::string png_of(std::span<const uint8_t> pixels, int64_t width, int64_t height);

/// The weights as squares of `cell` pixels, darker where there is more; the largest is the darkest.
std::string png_heatmap(const study::AttentionMatrix& matrix, int64_t cell = 12);

}  // namespace heed::draw
