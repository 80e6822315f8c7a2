// Pictures of pixels: for programs that take no SVG, and for what has too many elements for one.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "study/attention_matrix.h"

namespace heed::draw {

/// Returns the bytes compressed in the format of zlib.
std::string compressed(const std::string& bytes);

/// A PNG file of rows of red, green and blue, 3 x width x height bytes.
std::string png_of(std::span<const uint8_t> pixels, int64_t width, int64_t height);

/// The weights as squares of `cell` pixels, darker where there is more; `largest` is the darkest.
std::string png_heatmap(const study::AttentionMatrix& matrix, int64_t cell, double largest);

/// Returns the same picture with the largest weight and squares of 12 pixels, or less where a side
/// would have more than 2,048 pixels.
std::string png_heatmap(const study::AttentionMatrix& matrix);

}  // namespace heed::draw
