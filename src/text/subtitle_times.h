// Times of subtitles, and the kind of subtitles that a text begins like.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace heed::text {

struct CueTimes {
  int64_t start = 0, end = 0;  // milliseconds
};

/// Reads a time, such as 00:01:02,345, 1:02.3 or -00:00:01.000, that `text` begins with, and takes
/// it and the blanks before it from `text`. Milliseconds.
std::optional<int64_t> take_time(std::string_view& text);

/// The times of a line "00:01:02,345 --> 00:01:04,000 settings". The arrow may be shorter, or a
/// dash, as word processors make of it.
std::optional<CueTimes> cue_times_of(std::string_view line);

/// The same as browsers read it in WebVTT: an arrow of three characters, minutes and seconds of two
/// digits below 60, and three digits after a point. None: they leave out the cue.
std::optional<CueTimes> webvtt_times_of(std::string_view line);

/// The times of a line "0:00:01.000,0:00:02.000".
std::optional<CueTimes> times_with_comma(std::string_view line);

/// The frames in braces, {123}{456}, with which a line of MicroDVD begins, as bytes; 0: there are
/// none.
std::size_t bytes_of_frames(std::string_view line, CueTimes* frames = nullptr);

/// Whether the line has digits and nothing else, as the number of a cue has.
bool is_number_line(std::string_view line);

enum class SubtitleKind { none, subrip, webvtt, subviewer, substation, microdvd };

/// The kind of subtitles that a document begins like whose first lines, of those that are not
/// blank, are these.
SubtitleKind subtitles_of(std::string_view first, std::string_view second);

/// What the names of files with such subtitles end in, ".srt"; "" for none.
std::string_view ending_of_subtitles(SubtitleKind kind);

}  // namespace heed::text
