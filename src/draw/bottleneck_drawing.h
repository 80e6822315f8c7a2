// What a decoder reads of the source: one vector, or all states.
#pragma once

#include <string>

namespace heed::draw {

/// An SVG of 440 x 274 pixels: an encoder whose last state is all that the decoder gets.
std::string draw_one_vector();

/// The same with attention: one step of the decoder reads every state by its weight.
std::string draw_all_states();

}  // namespace heed::draw
