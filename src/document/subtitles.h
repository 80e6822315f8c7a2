// What the formats of subtitles have in common: their times, and how a document begins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "document/cues.h"
#include "document/token.h"

namespace heed::document {

enum class SubtitleKind { none, subrip, webvtt, subviewer, substation, microdvd };

/// The kind of subtitles that a document begins like whose first lines, of those that are not
/// blank, are these.
SubtitleKind subtitles_of(std::string_view first, std::string_view second);

/// What the names of files with such subtitles end in, ".srt"; "" for none.
std::string_view ending_of_subtitles(SubtitleKind kind);

/// Throws UserError where the document begins like subtitles of another kind than `own`.
void expect_subtitles(std::string_view bytes, SubtitleKind own);

/// Reads a time, such as 00:01:02,345, 1:02.3 or -00:00:01.000, that `text` begins with, and takes
/// it and the blanks before it from `text`. Milliseconds.
std::optional<int64_t> take_time(std::string_view& text);

struct CueTimes {
  int64_t start = 0, end = 0;  // milliseconds
};

/// Adds a cue whose text stands in these bytes, apart from blanks at their ends; none where it has
/// no others.
void add_cue(std::string_view bytes, ByteRange text, CueTimes times, std::string_view voice,
             std::vector<Cue>& cues);

/// The frames in braces, {123}{456}, with which a line of MicroDVD begins, as bytes; 0: there are
/// none.
std::size_t bytes_of_frames(std::string_view line, CueTimes* frames = nullptr);

}  // namespace heed::document
