// What the formats of subtitles have in common.
#pragma once

#include <string_view>
#include <vector>

#include "document/cues.h"
#include "document/token.h"
#include "text/subtitle_times.h"

namespace heed::document {

/// Throws UserError where the document begins like subtitles of another kind than `own`.
void expect_subtitles(std::string_view bytes, text::SubtitleKind own);

/// Adds a cue whose text stands in these bytes, apart from blanks at their ends; none where it has
/// no others.
void add_cue(std::string_view bytes, ByteRange text, text::CueTimes times, std::string_view voice,
             std::vector<Cue>& cues);

}  // namespace heed::document
