// Subtitles of MicroDVD: {123}{456}text|second line. SubViewer's are passed on.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "document/cue_tokens.h"
#include "document/cues.h"
#include "document/format.h"
#include "document/lines_of_text.h"
#include "document/passage.h"
#include "document/subtitles.h"
#include "text/subtitle_times.h"

namespace heed::document {
namespace {

/// A bar would end the line; braces would hide what stands between them.
std::string without_bars(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c == '|' ? '/' : c == '{' ? '(' : c == '}' ? ')' : c;
  return out;
}

}  // namespace

Passages read_microdvd(std::string_view bytes, const ReadOptions& options) {
  static const CueSyntax syntax{.breaks = {"|"}, .has_all_braces = true, .escaped = without_bars};
  constexpr int64_t kMilliseconds = 40;  // of a frame, if the document does not say
  // Names of SubViewer's files end in .sub, too.
  if (subtitles_kind(bytes) == text::SubtitleKind::subviewer) return read_sbv(bytes, options);
  expect_subtitles(bytes, text::SubtitleKind::microdvd);
  const LineByLine lines(bytes);
  std::vector<Cue> cues;
  double milliseconds = kMilliseconds;
  for (std::size_t i = 0; i < lines.count(); ++i) {
    text::CueTimes frames;
    const std::string_view line = lines.line(i);
    const std::size_t before = text::bytes_of_frames(line, &frames);
    if (before == 0) continue;
    const std::string_view text = line.substr(before);
    // {1}{1}23.976: frames of a second
    if (const auto rate = exact_number<double>(trim(text)); rate && *rate > 0 && cues.empty()) {
      milliseconds = 1000 / *rate;
      continue;
    }
    const auto from = static_cast<std::size_t>(text.data() - bytes.data());
    const auto time = [&](int64_t frame) {
      return static_cast<int64_t>(static_cast<double>(frame) * milliseconds);
    };
    add_cue(bytes, {from, from + text.size()}, {time(frames.start), time(frames.end)}, cues);
  }
  return passages_of_cues(bytes, cues, syntax, options.source_language);
}

}  // namespace heed::document
