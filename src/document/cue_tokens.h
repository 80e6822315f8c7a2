// The text of a subtitle as tokens: its lines, tags, settings and notes of music.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "document/segment.h"
#include "document/token.h"

namespace heed::document {

/// How the text of cues is written in a format of subtitles.
struct CueSyntax {
  /// Stand for the end of a line beside line feeds, such as `\N`, and for a blank, such as `\h`.
  std::vector<std::string_view> breaks = {}, blanks = {};
  bool has_tags = false;        // <i>, <v Name>, <00:01.000>, <br>
  bool has_references = false;  // &amp;
  bool has_all_braces = false;  // {...} is no text; otherwise only {\an8}, {y:i} and the like
  bool has_drawings = false;    // what comes between {\p1} and {\p0} is no text
  bool has_places = false;      // several texts are shown at the same time, at places of their own
  /// As Writing::escaped, for cues without references; where a reference stands in the source,
  /// text::with_references() writes the translation.
  std::string (*escaped)(std::string_view text) = nullptr;
};

/// The tokens of these bytes, each of which begins where the one before it ends. Runs of line ends
/// are one line break, with the blanks around them. A character that a reference stands for is
/// text, apart from blanks and invisible characters, which stay. Tags without an end are text.
std::vector<Token> tokens_of_cue(std::string_view bytes, ByteRange cue, const CueSyntax& syntax);

/// Bytes of the notes of music that the text begins with: ♪ and the like.
std::size_t notes_at(std::string_view text);

}  // namespace heed::document
