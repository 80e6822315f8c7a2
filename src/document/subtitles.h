// What the formats of subtitles have in common.
#pragma once

#include <string_view>
#include <vector>

#include "document/cues.h"
#include "document/token.h"
#include "text/subtitle_times.h"

namespace heed::document {

/// The kind of subtitles that the document begins like.
text::SubtitleKind subtitles_kind(std::string_view bytes);

/// Throws UserError where the document begins like subtitles of another kind than `own`.
void expect_subtitles(std::string_view bytes, text::SubtitleKind own);

/// Adds a cue whose text stands in these bytes, apart from blanks at their ends; none where it has
/// no others.
void add_cue(std::string_view bytes, ByteRange text, text::CueTimes times, std::vector<Cue>& cues);

}  // namespace heed::document
