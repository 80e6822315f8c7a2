// Subtitles of Advanced SubStation Alpha, and of SubStation Alpha before it.
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "document/cue_tokens.h"
#include "document/cues.h"
#include "document/format.h"
#include "document/lines_of_text.h"
#include "document/passage.h"
#include "document/subtitles.h"
#include "document/token.h"
#include "text/subtitle_times.h"

namespace heed::document {
namespace {

/// Where the fields of an event stand: the text is the last one, and may have commas.
struct EventFields {
  std::size_t count = 10, layer = 0, start = 1, end = 2, style = 3, name = 4;

  EventFields() = default;
  /// The fields by the names in a line "Format: Layer, Start, ...".
  explicit EventFields(std::string_view names) {
    count = 0;
    layer = start = end = style = name = static_cast<std::size_t>(-1);
    for (const std::string& field : split(names, ',')) {
      const std::string small = ascii_lower(trim(field));
      if (small == "layer") layer = count;
      if (small == "start") start = count;
      if (small == "end") end = count;
      if (small == "style") style = count;
      if (small == "name" || small == "actor") name = count;
      ++count;
    }
  }
};

/// Braces would hide what stands between them.
std::string with_escaped_braces(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '{' || c == '}') out += '\\';
    out += c;
  }
  return out;
}

/// The commands in a text that say where on the screen it is shown: `\\pos(1,2)`.
std::string place_in(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; (at = text.find('\\', at)) != text.npos; ++at)
    if (text.substr(at).starts_with("\\pos(") || text.substr(at).starts_with("\\move("))
      out += text.substr(at, text.find(')', at) - at);
  return out;
}

/// Adds the text of a line "Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,text". `from` is
/// where its fields begin.
void add_event(std::string_view bytes, std::size_t from, std::size_t to, const EventFields& fields,
               std::vector<Cue>& cues) {
  text::CueTimes times;
  std::string voice, place;
  for (std::size_t i = 0; i + 1 < fields.count; ++i) {
    const std::size_t comma = bytes.substr(0, to).find(',', from);
    if (comma == std::string_view::npos) return;
    std::string_view field = bytes.substr(from, comma - from);
    if (i == fields.start) times.start = text::take_time(field).value_or(0);
    if (i == fields.end) times.end = text::take_time(field).value_or(0);
    if (i == fields.style || i == fields.name) (voice += trim(field)) += ',';
    if (i == fields.layer) (place += trim(field)) += ',';
    from = comma + 1;
  }
  const std::size_t before = cues.size();
  add_cue(bytes, {from, to}, times, cues);
  if (cues.size() == before) return;
  cues.back().voice = std::move(voice);
  cues.back().place = place + place_in(bytes.substr(from, to - from));
}

}  // namespace

Passages read_ass(std::string_view bytes, const ReadOptions& options) {
  static const CueSyntax syntax{.breaks = {"\\N", "\\n"},
                                .blanks = {"\\h"},
                                .has_all_braces = true,
                                .has_drawings = true,
                                .has_places = true,
                                .escaped = with_escaped_braces};
  expect_subtitles(bytes, text::SubtitleKind::substation);
  const LineByLine lines(bytes);
  std::vector<Cue> cues;
  EventFields fields;
  bool in_events = false;
  for (std::size_t i = 0; i < lines.count(); ++i) {
    const std::string_view line = lines.line(i);
    const std::string_view key = line.substr(0, line.find(':'));
    if (line.starts_with('[')) in_events = ascii_lower(trim(line)) == "[events]";
    if (!in_events || key.size() == line.size()) continue;
    const std::string name = ascii_lower(trim(key));
    const std::string_view values = line.substr(key.size() + 1);
    const auto from = static_cast<std::size_t>(values.data() - bytes.data());
    if (name == "format") fields = EventFields(values);
    if (name == "dialogue") add_event(bytes, from, from + values.size(), fields, cues);
  }
  return passages_of_cues(bytes, cues, syntax, options.source_language);
}

}  // namespace heed::document
