#include "text/subtitle_times.h"

#include <algorithm>

#include "base/strings.h"
#include "text/utf8.h"

namespace heed::text {
namespace {

constexpr std::string_view kCueDigits = "0123456789";

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

std::optional<CueTimes> cue_times_of(std::string_view line) {
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

std::optional<CueTimes> times_with_comma(std::string_view line) {
  const auto start = take_time(line);
  if (!start || !take_any(line, {","})) return std::nullopt;
  const auto end = take_time(line);
  if (!end || !is_blank(line)) return std::nullopt;
  return CueTimes{*start, *end};
}

bool is_number_line(std::string_view line) {
  line = trim(line);
  return !line.empty() && after_run(line, kCueDigits) == line.size();
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
  if (first.starts_with("WEBVTT") && (first.size() == 6 || is_one_of(first[6], " \t\r\n")))
    return SubtitleKind::webvtt;
  first = trim(first);
  if (ascii_lower(first) == "[script info]") return SubtitleKind::substation;
  if (ascii_lower(first) == "[information]" && trim(second).starts_with('['))
    return SubtitleKind::subviewer;
  const std::size_t frames = bytes_of_frames(first);
  if ((frames > 0 && frames < first.size()) || first.starts_with("{DEFAULT}{}"))
    return SubtitleKind::microdvd;
  if (times_with_comma(first)) return SubtitleKind::subviewer;
  return cue_times_of(first) || (is_number_line(first) && cue_times_of(second))
             ? SubtitleKind::subrip
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

}  // namespace heed::text
