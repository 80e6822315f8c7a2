// Subtitles: SubRip and WebVTT.
#include <cstddef>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "document/format.h"
#include "document/inline_tokens.h"
#include "document/lines_of_text.h"
#include "document/passage.h"
#include "text/utf8.h"

namespace heed::document {
namespace {

/// The texts of subtitles: the lines below each time. A cue of SubRip may have blank lines, for
/// there are no other blocks.
std::vector<LinesOfText> lines_of_cues(std::string_view bytes, bool blank_ends) {
  LineByLine document(bytes);
  const auto is_time = [&](std::size_t i) {
    const std::string_view line = document.line(i), time = line.substr(0, line.find("-->"));
    return time.size() < line.size() && is_one_of(':', time) &&
           after_run(time, "0123456789:., \t-") == time.size();
  };
  // Whether the line is the number of the next cue. Players also read files whose line ends were
  // doubled.
  const auto is_number = [&](std::size_t i) {
    const std::string_view line = trim(document.line(i));
    if (line.empty() || after_run(line, "0123456789") < line.size()) return false;
    for (++i; i < document.count() && text::is_blank(document.line(i));) ++i;
    return is_time(i);
  };
  bool in_cue = false;
  for (std::size_t i = 0; i < document.count(); ++i) {
    const std::string_view line = document.line(i);
    if (is_time(i) || (blank_ends && text::is_blank(line))) in_cue = is_time(i);
    const bool is_text =
        in_cue && !is_time(i) && !is_time(i + 1) && !text::is_blank(line) && !is_number(i);
    std::size_t dash = 0;  // bytes of the dash before another speaker
    for (const std::string_view mark : {"-", "–", "—"})
      if (line.starts_with(mark)) dash = mark.size();
    if (!is_text || dash > 0) document.end();
    if (is_text) document.add(i, dash, line.size());
  }
  return document.result();
}

}  // namespace

Passages read_srt(std::string_view bytes, const ReadOptions& /*options*/) {
  return passages_of(bytes, lines_of_cues(bytes, /*blank_ends=*/false), tokens_of_cues,
                     /*has_markers=*/false);
}

Passages read_vtt(std::string_view bytes, const ReadOptions& /*options*/) {
  return passages_of(bytes, lines_of_cues(bytes, /*blank_ends=*/true), tokens_of_cues,
                     /*has_markers=*/false);
}

}  // namespace heed::document
