// How much room text takes in a picture, and which way it runs.
#pragma once

#include <string>
#include <string_view>

namespace heed::draw {

/// Width of the line in units of one font size: East Asian letters and emoji 1 (however many code
/// points an emoji has), narrow Latin letters less, combining marks 0. An estimate for sans-serif
/// fonts, a little generous.
double text_width(std::string_view line);

/// The line, or as much of it as fits with an ellipsis into `width`, in units of text_width; never
/// cut between a letter and its accents or inside an emoji.
std::string elide(std::string_view line, double width);

/// Whether the first letter is of a script that runs from right to left (rules P2 and P3 of the
/// Unicode bidirectional algorithm).
bool is_right_to_left(std::string_view line);

}  // namespace heed::draw
