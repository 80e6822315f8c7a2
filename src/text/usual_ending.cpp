#include "text/usual_ending.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/strings.h"
#include "text/utf8.h"

namespace heed::text {
namespace {

constexpr std::string_view kLineBlanks = " \t", kTimeDigits = "0123456789";

/// The text without the characters of a run that it begins with.
std::string_view after_any(std::string_view text, std::string_view characters) {
  text.remove_prefix(std::min(text.find_first_not_of(characters), text.size()));
  return text;
}

/// Whether the text begins with the time of a subtitle: 00:00:01,000 --> 00:00:02,000.
bool is_time_of_cue(std::string_view line) {
  if (line.starts_with('-')) line.remove_prefix(1);  // as tools write that shift times
  const std::string_view rest = after_any(line, "0123456789:,."),
                         arrow = after_any(rest, kLineBlanks);
  if (rest.size() == line.size() || !after_any(line, kTimeDigits).starts_with(':')) return false;
  const std::string_view end = after_any(arrow, "->");
  return arrow.starts_with("-->") && after_any(end, kLineBlanks) != after_any(end, " \t0123456789");
}

/// Whether the line is the time of a subtitle of YouTube: 0:00:01.000,0:00:02.000.
bool is_time_of_sbv(std::string_view line) {
  constexpr std::string_view kTime = "0123456789:.";
  const std::string_view end = after_any(line, kTime);
  return std::ranges::count(line, ':') == 4 && end.starts_with(',') &&
         after_any(end.substr(1), kTime).empty();
}

/// Whether the line begins with the frames of a subtitle of MicroDVD: {25}{50}.
bool begins_with_frames(std::string_view line) {
  for (int i = 0; i < 2; ++i) {
    if (!line.starts_with('{')) return false;
    const std::string_view end = after_any(line.substr(1), kTimeDigits);
    if (!end.starts_with('}') || end.size() + 1 == line.size()) return false;
    line = end.substr(1);
  }
  return true;
}

/// Whether the lines begin with an object of JSON that has a key, perhaps in a list.
bool begins_with_json(std::span<const std::string> lines) {
  constexpr std::string_view kMarks = "[{\"";
  std::size_t seen = 0;  // of the marks; a list may be left out
  for (const std::string& line : lines) {
    std::string_view rest = after_any(line, kLineBlanks);
    for (; !rest.empty() && seen < kMarks.size(); rest = after_any(rest.substr(1), kLineBlanks)) {
      if (seen == 0 && rest[0] == '{') seen = 1;
      if (rest[0] != kMarks[seen++]) return false;
    }
    if (seen < kMarks.size()) continue;
    const std::size_t end = rest.find('"');
    return end != std::string_view::npos &&
           after_any(rest.substr(end + 1), kLineBlanks).starts_with(':');
  }
  return false;
}

/// Whether the lines have blocks of code, or several headings with blank lines around them.
bool is_like_markdown(std::span<const std::string> lines) {
  const auto is_blank = [&](std::size_t i) {
    return i >= lines.size() || text::is_blank(lines[i]);
  };
  int64_t fences = 0, headings = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i], rest = after_any(line, "#");
    const std::size_t level = line.size() - rest.size();
    fences += line.starts_with("```");
    headings += level > 0 && level <= 6 && rest.starts_with(' ') && (i == 0 || is_blank(i - 1)) &&
                i + 1 < lines.size() && is_blank(i + 1);
  }
  return fences > 1 || headings > 1;
}

}  // namespace

std::string_view usual_ending(std::span<const std::string> lines) {
  const auto first = std::ranges::find_if_not(lines, is_blank);
  if (first == lines.end()) return "";
  const auto rest = lines.subspan(static_cast<std::size_t>(first - lines.begin()));
  const std::string begin = ascii_lower(after_any(*first, kLineBlanks));
  const auto is_in_any = [&](std::string_view part) {
    return std::ranges::any_of(lines, [&](const std::string& line) {
      return ascii_lower(line).find(part) != std::string::npos;
    });
  };
  const auto is_begin_of_any = [&](std::string_view part) {
    return std::ranges::any_of(lines,
                               [&](const std::string& line) { return line.starts_with(part); });
  };
  if (*first == "WEBVTT" || first->starts_with("WEBVTT ") || first->starts_with("WEBVTT\t"))
    return ".vtt";
  if (is_time_of_cue(*first) ||
      (after_any(*first, kTimeDigits).empty() && rest.size() > 1 && is_time_of_cue(rest[1])))
    return ".srt";
  if (is_time_of_sbv(*first)) return ".sbv";
  if (begins_with_frames(*first)) return ".sub";
  if (begin.starts_with("<!doctype html") ||
      ((begin.starts_with("<html>") || begin.starts_with("<html ")) && begin.ends_with('>')))
    return ".html";
  if (begin.starts_with("<?xml"))
    return is_in_any("<xliff")  ? ".xlf"
           : is_in_any("<tmx")  ? ".tmx"
           : is_in_any("<html") ? ".html"
                                : ".xml";
  if (begins_with_json(rest)) return ".jsonl";
  if (is_begin_of_any("msgid \"") && is_begin_of_any("msgstr")) return ".po";
  if (begin.starts_with("[script info]")) return ".ass";
  return is_like_markdown(lines) ? ".md" : "";
}

}  // namespace heed::text
