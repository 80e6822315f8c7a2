// Subtitles that are read line by line: SubRip, WebVTT, and SubViewer, which is YouTube's, too.
#include "document/subtitles.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "document/cue_tokens.h"
#include "document/format.h"
#include "document/lines_of_text.h"
#include "document/passage.h"
#include "text/subtitle_times.h"
#include "text/utf8.h"

namespace heed::document {
namespace {

constexpr std::string_view kCueBlanks = " \t\r\n";

/// The lines of a document in which a line end may stand for two: where each second line is empty,
/// as programs make of CR LF, or other ones that write line ends twice, these lines are left out.
class SubtitleLines {
 public:
  explicit SubtitleLines(std::string_view bytes) : bytes_(bytes), lines_(bytes) {
    bool is_doubled = lines_.count() > 3;
    for (std::size_t i = 1; i < lines_.count(); i += 2) is_doubled &= lines_.line(i).empty();
    step_ = is_doubled ? 2 : 1;
  }

  std::size_t count() const { return (lines_.count() + step_ - 1) / step_; }
  std::string_view line(std::size_t i) const { return lines_.line(step_ * i); }
  /// The bytes of a line; of one that there is.
  ByteRange range(std::size_t i) const {
    const auto from = static_cast<std::size_t>(line(i).data() - bytes_.data());
    return {from, from + line(i).size()};
  }
  /// Whether the line is the number of a cue: the next line that is not blank has its times.
  bool is_number_of_cue(std::size_t i) const {
    if (!text::is_number_line(line(i))) return false;
    for (++i; i < count() && text::is_blank(line(i));) ++i;
    return text::cue_times_of(line(i)).has_value();
  }

 private:
  std::string_view bytes_;
  LineByLine lines_;
  std::size_t step_ = 1;
};

/// The cues of lines: below the times that `times` finds, up to where `ends` says.
template <class Times, class Ends>
std::vector<Cue> cues_of(std::string_view bytes, const SubtitleLines& lines, const Times& times,
                         const Ends& ends) {
  std::vector<Cue> cues;
  std::optional<text::CueTimes> now;
  ByteRange text;
  const auto end_cue = [&] {
    if (now && !text.is_empty()) add_cue(bytes, text, *now, cues);
    now.reset();
    text = {};
  };
  for (std::size_t i = 0; i < lines.count(); ++i) {
    if (const auto found = times(lines.line(i))) {
      end_cue();
      now = found;
      continue;
    }
    if (ends(i)) end_cue();
    if (!now || lines.line(i).empty() || lines.is_number_of_cue(i)) continue;
    const ByteRange line = lines.range(i);
    text = {text.is_empty() ? line.from : text.from, line.to};
  }
  end_cue();
  return cues;
}

// What players take for the arrow before the time at which a cue ends is not written.
constexpr std::string_view kArrow = "-->";

std::string written_in_srt(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += c;
    if (out.ends_with(kArrow)) out.replace(out.size() - kArrow.size(), kArrow.size(), "→");
  }
  return out;
}

std::string written_in_vtt(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>' && out.ends_with("--"))
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

std::string_view subtitles_name(text::SubtitleKind kind) {
  switch (kind) {
    case text::SubtitleKind::subrip:
      return "SubRip";
    case text::SubtitleKind::webvtt:
      return "WebVTT";
    case text::SubtitleKind::subviewer:
      return "SubViewer and YouTube";
    case text::SubtitleKind::substation:
      return "SubStation Alpha";
    case text::SubtitleKind::microdvd:
      return "MicroDVD";
    case text::SubtitleKind::none:
      break;
  }
  return "none";
}

}  // namespace

void add_cue(std::string_view bytes, ByteRange text, text::CueTimes times, std::vector<Cue>& cues) {
  while (!text.is_empty() && is_one_of(bytes[text.from], kCueBlanks)) ++text.from;
  while (!text.is_empty() && is_one_of(bytes[text.to - 1], kCueBlanks)) --text.to;
  if (!text.is_empty()) cues.push_back({.text = text, .start = times.start, .end = times.end});
}

text::SubtitleKind subtitles_kind(std::string_view bytes) {
  std::string_view first[2];  // lines that are not blank
  std::size_t count = 0;
  for (std::size_t at = 0; count < 2 && at < bytes.size();) {
    const std::size_t end = std::min(bytes.find_first_of("\r\n", at), bytes.size());
    const std::string_view line = bytes.substr(at, end - at);
    if (!text::is_blank(line)) first[count++] = line;
    at = end + 1;
  }
  return text::subtitles_of(first[0], first[1]);
}

void expect_subtitles(std::string_view bytes, text::SubtitleKind own) {
  const text::SubtitleKind kind = subtitles_kind(bytes);
  if (kind == own || kind == text::SubtitleKind::none) return;
  const DocumentFormat* format =
      format_of_name("text" + std::string(text::ending_of_subtitles(kind)));
  throw UserError("line 1: the document begins like subtitles of {} (--document {})",
                  subtitles_name(kind), format->name);
}

Passages read_srt(std::string_view bytes, const ReadOptions& options) {
  static const CueSyntax syntax{.breaks = {"\\N", "\\n"},
                                .blanks = {"\\h"},
                                .has_tags = true,
                                .has_references = true,
                                .escaped = written_in_srt};
  expect_subtitles(bytes, text::SubtitleKind::subrip);
  const SubtitleLines lines(bytes);
  // As in ffmpeg, blank lines end no cue.
  return passages_of_cues(
      bytes, cues_of(bytes, lines, text::cue_times_of, [](std::size_t) { return false; }), syntax,
      options.source_language);
}

Passages read_vtt(std::string_view bytes, const ReadOptions& options) {
  static const CueSyntax syntax{
      .has_tags = true, .has_references = true, .escaped = written_in_vtt};
  expect_subtitles(bytes, text::SubtitleKind::webvtt);
  const SubtitleLines lines(bytes);
  const auto ends = [&](std::size_t i) {
    return lines.line(i).empty() || lines.line(i).find(kArrow) != std::string_view::npos;
  };
  return passages_of_cues(bytes, cues_of(bytes, lines, text::webvtt_times_of, ends), syntax,
                          options.source_language);
}

Passages read_sbv(std::string_view bytes, const ReadOptions& options) {
  static const CueSyntax syntax{.breaks = {"[br]"}, .has_tags = true};
  expect_subtitles(bytes, text::SubtitleKind::subviewer);
  const SubtitleLines lines(bytes);
  return passages_of_cues(
      bytes, cues_of(bytes, lines, text::times_with_comma, [](std::size_t) { return false; }),
      syntax, options.source_language);
}

}  // namespace heed::document
