// Subtitles that are read line by line: SubRip, WebVTT, and SubViewer, which is YouTube's, too.
#include "document/subtitles.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "document/cue_tokens.h"
#include "document/format.h"
#include "document/lines_of_text.h"
#include "document/passage.h"
#include "text/references.h"
#include "text/utf8.h"

namespace heed::document {
namespace {

constexpr std::string_view kCueDigits = "0123456789", kCueBlanks = " \t\r\n";

/// Takes one of these from the beginning of the text.
template <std::size_t count>
bool take_any(std::string_view& text, const std::string_view (&of)[count]) {
  for (const std::string_view one : of)
    if (text.starts_with(one)) {
      text.remove_prefix(one.size());
      return true;
    }
  return false;
}

void skip_line_blanks(std::string_view& text) {
  text.remove_prefix(after_run(text, " \t"));
}

/// Takes digits; their value is limited.
std::optional<int64_t> take_digits(std::string_view& text, std::size_t* count = nullptr) {
  constexpr int64_t kMost = 1'000'000'000;
  const std::size_t digits = after_run(text, kCueDigits);
  if (digits == 0) return std::nullopt;
  int64_t value = 0;
  for (const char c : text.substr(0, digits)) value = std::min(10 * value + (c - '0'), kMost);
  text.remove_prefix(digits);
  if (count) *count = digits;
  return value;
}

/// The times of a line "00:01:02,345 --> 00:01:04,000 settings". The arrow may be shorter, or a
/// dash, as word processors make of it.
std::optional<CueTimes> times_of(std::string_view line) {
  const auto start = take_time(line);
  if (!start) return std::nullopt;
  bool has_dash = false;
  for (bool found = true; found; has_dash |= found) {
    skip_line_blanks(line);
    found = take_any(line, {"-", "–", "—"});
  }
  if (!has_dash || !take_any(line, {">"})) return std::nullopt;
  const auto end = take_time(line);
  // Browsers need no blank before settings.
  if (!end || (!line.empty() && is_one_of(line[0], ",.:;!?)\"'"))) return std::nullopt;
  return CueTimes{*start, *end};
}

/// The times of a line "0:00:01.000,0:00:02.000".
std::optional<CueTimes> times_with_comma(std::string_view line) {
  const auto start = take_time(line);
  if (!start || !take_any(line, {","})) return std::nullopt;
  const auto end = take_time(line);
  if (!end || !text::is_blank(line)) return std::nullopt;
  return CueTimes{*start, *end};
}

bool is_number_line(std::string_view line) {
  line = trim(line);
  return !line.empty() && after_run(line, kCueDigits) == line.size();
}

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
    if (!is_number_line(line(i))) return false;
    for (++i; i < count() && text::is_blank(line(i));) ++i;
    return times_of(line(i)).has_value();
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
  std::optional<CueTimes> now;
  ByteRange text;
  const auto end_cue = [&] {
    if (now && !text.is_empty()) add_cue(bytes, text, *now, {}, cues);
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

std::string_view subtitles_name(SubtitleKind kind) {
  switch (kind) {
    case SubtitleKind::subrip:
      return "SubRip";
    case SubtitleKind::webvtt:
      return "WebVTT";
    case SubtitleKind::subviewer:
      return "SubViewer and YouTube";
    case SubtitleKind::substation:
      return "SubStation Alpha";
    case SubtitleKind::microdvd:
      return "MicroDVD";
    case SubtitleKind::none:
      break;
  }
  return "none";
}

}  // namespace

std::optional<int64_t> take_time(std::string_view& text) {
  std::string_view rest = text;
  skip_line_blanks(rest);
  const bool is_negative = take_any(rest, {"-", "−"});
  auto value = take_digits(rest);
  // Programs that subtract times write 0-1:59:59,000.
  if (value && rest.size() > 1 && rest[0] == '-' && is_one_of(rest[1], kCueDigits)) {
    rest.remove_prefix(1);
    value = take_digits(rest);
  }
  if (!value) return std::nullopt;
  std::size_t parts = 1;
  int64_t seconds = *value, milliseconds = 0;
  for (;; ++parts) {
    std::string_view after = rest;
    const bool is_part = parts < 3 && take_any(after, {":", "："});
    const bool is_fraction = !is_part && parts > 1 && take_any(after, {",", ".", "，", "。", ":"});
    std::size_t digits = 0;
    if (!is_part && !is_fraction) break;
    value = take_digits(after, &digits);
    if (!value) break;
    rest = after;
    if (is_part) {
      seconds = 60 * seconds + *value;
      continue;
    }
    milliseconds = *value;
    for (; digits < 3; ++digits) milliseconds *= 10;
    for (; digits > 3 && milliseconds > 0; --digits) milliseconds /= 10;
    break;
  }
  if (parts == 1) return std::nullopt;
  text = rest;
  return (is_negative ? -1 : 1) * (1000 * seconds + milliseconds);
}

void add_cue(std::string_view bytes, ByteRange text, CueTimes times, std::string_view voice,
             std::vector<Cue>& cues) {
  while (!text.is_empty() && is_one_of(bytes[text.from], kCueBlanks)) ++text.from;
  while (!text.is_empty() && is_one_of(bytes[text.to - 1], kCueBlanks)) --text.to;
  if (!text.is_empty())
    cues.push_back({.text = text, .start = times.start, .end = times.end, .voice = voice});
}

std::size_t bytes_of_frames(std::string_view line, CueTimes* frames) {
  std::string_view rest = line;
  CueTimes found;
  for (const bool is_end : {false, true}) {
    if (!take_any(rest, {"{"})) return 0;
    const auto value = take_digits(rest);
    if ((!value && !is_end) || !take_any(rest, {"}"})) return 0;
    (is_end ? found.end : found.start) = value.value_or(found.start);
  }
  if (frames) *frames = found;
  return line.size() - rest.size();
}

SubtitleKind subtitles_of(std::string_view first, std::string_view second) {
  if (first.starts_with("\uFEFF")) first.remove_prefix(3);
  if (first.starts_with("WEBVTT") && (first.size() == 6 || is_one_of(first[6], kCueBlanks)))
    return SubtitleKind::webvtt;
  first = trim(first);
  if (ascii_lower(first) == "[script info]") return SubtitleKind::substation;
  if (ascii_lower(first) == "[information]" && trim(second).starts_with('['))
    return SubtitleKind::subviewer;
  if (bytes_of_frames(first) > 0 || first.starts_with("{DEFAULT}{}")) return SubtitleKind::microdvd;
  if (times_with_comma(first)) return SubtitleKind::subviewer;
  return times_of(first) || (is_number_line(first) && times_of(second)) ? SubtitleKind::subrip
                                                                        : SubtitleKind::none;
}

std::string_view ending_of_subtitles(SubtitleKind kind) {
  switch (kind) {
    case SubtitleKind::subrip:
      return ".srt";
    case SubtitleKind::webvtt:
      return ".vtt";
    case SubtitleKind::subviewer:
      return ".sbv";
    case SubtitleKind::substation:
      return ".ass";
    case SubtitleKind::microdvd:
      return ".sub";
    case SubtitleKind::none:
      break;
  }
  return "";
}

void expect_subtitles(std::string_view bytes, SubtitleKind own) {
  std::string_view first[2];  // lines that are not blank
  std::size_t count = 0;
  for (std::size_t at = 0; count < 2 && at < bytes.size();) {
    const std::size_t end = std::min(bytes.find_first_of("\r\n", at), bytes.size());
    const std::string_view line = bytes.substr(at, end - at);
    if (!text::is_blank(line)) first[count++] = line;
    at = end + 1;
  }
  const SubtitleKind kind = subtitles_of(first[0], first[1]);
  if (kind == own || kind == SubtitleKind::none) return;
  const DocumentFormat* format = format_of_name("text" + std::string(ending_of_subtitles(kind)));
  throw UserError("line 1: the document begins like subtitles of {} (--document {})",
                  subtitles_name(kind), format->name);
}

Passages read_srt(std::string_view bytes, const ReadOptions& options) {
  static const CueSyntax syntax{.breaks = {"\\N", "\\n"},
                                .blanks = {"\\h"},
                                .has_tags = true,
                                .has_references = true,
                                .escaped = written_in_srt};
  expect_subtitles(bytes, SubtitleKind::subrip);
  const SubtitleLines lines(bytes);
  // As in ffmpeg, blank lines end no cue.
  return passages_of_cues(bytes, cues_of(bytes, lines, times_of, [](std::size_t) { return false; }),
                          syntax, options.source_language);
}

Passages read_vtt(std::string_view bytes, const ReadOptions& options) {
  static const CueSyntax syntax{
      .has_tags = true, .has_references = true, .escaped = written_in_vtt};
  expect_subtitles(bytes, SubtitleKind::webvtt);
  const SubtitleLines lines(bytes);
  const auto ends = [&](std::size_t i) {
    return lines.line(i).empty() || lines.line(i).find(kArrow) != std::string_view::npos;
  };
  return passages_of_cues(bytes, cues_of(bytes, lines, times_of, ends), syntax,
                          options.source_language);
}

Passages read_sbv(std::string_view bytes, const ReadOptions& options) {
  static const CueSyntax syntax{.breaks = {"[br]"}, .has_tags = true};
  expect_subtitles(bytes, SubtitleKind::subviewer);
  const SubtitleLines lines(bytes);
  return passages_of_cues(
      bytes, cues_of(bytes, lines, times_with_comma, [](std::size_t) { return false; }), syntax,
      options.source_language);
}

}  // namespace heed::document
