// The passages of subtitles: what each speaker says in a cue, and sentences over several cues.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "document/cue_tokens.h"
#include "document/passage.h"
#include "document/token.h"

namespace heed::document {

/// A text that is shown for some time.
struct Cue {
  ByteRange text;              // without blanks at its ends; not empty
  int64_t start = 0, end = 0;  // milliseconds
  /// Who speaks, and where the text is shown: no sentence goes on in a cue with others.
  std::string voice = {}, place = {};
};

/// The passages of cues, which are in the order of their texts.
/// - A line that begins with a dash or >> (of another speaker) or a note of music, that follows a
///   line which ends in a note, or that stands in brackets, begins a passage. So does the name of a
///   speaker in capitals, with a colon, on a line of its own, which is a passage by itself.
/// - A passage goes on in the next cue where a sentence may: it has not ended there by the rules of
///   `language` (text/sentences.h), which see a capital in place of a small letter; the next text
///   begins with a small letter within 3 s, or directly (within 0.5 s) with another character,
///   unless the passage begins with a small letter after the end of a sentence; in a document in
///   which at least a tenth, or a fifth, of the cues end a sentence. Not so where the next cue says
///   the same again, nor where one of the two has no text, nor, if the format has places, where
///   both are shown at the same time.
/// What stands between cues is a line break that divides (Token::divides), with tags that end
/// before it and begin again after it.
Passages passages_of_cues(std::string_view bytes, const std::vector<Cue>& cues,
                          const CueSyntax& syntax, std::string_view language);

}  // namespace heed::document
