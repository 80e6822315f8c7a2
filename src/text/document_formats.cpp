// Finds the text in each format of documents.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "text/document.h"
#include "text/document_markup.h"
#include "text/markdown_blocks.h"
#include "text/segment.h"
#include "text/utf8.h"
#include "text/words.h"

namespace heed::text {
namespace {

/// The lines of a document, and the text that was found in them so far.
class LineByLine {
 public:
  explicit LineByLine(std::string_view bytes) : bytes_(bytes) {
    std::size_t from = bytes.starts_with("\uFEFF") ? 3 : 0;
    while (from < bytes.size()) {
      const std::size_t end = std::min(bytes.find_first_of("\r\n", from), bytes.size());
      lines_.push_back({from, end});
      from = end + (bytes.substr(end).starts_with("\r\n") ? 2 : 1);
    }
  }

  std::size_t count() const { return lines_.size(); }
  /// Line `i` without its line end; blank after the last line.
  std::string_view line(std::size_t i) const {
    return i < count() ? bytes_.substr(lines_[i].from, lines_[i].to - lines_[i].from) : "";
  }
  bool has_text() const { return !now_.empty(); }
  /// Adds bytes [from, to) of line `i` to the text that is read as a whole.
  void add(std::size_t i, std::size_t from, std::size_t to) {
    now_.push_back({lines_[i].from + from, lines_[i].from + to});
  }
  /// Ends this text: the lines that follow are another one.
  void end() {
    if (has_text()) all_.push_back(std::move(now_));
    now_.clear();
  }
  std::vector<LinesOfText> result() {
    end();
    return std::move(all_);
  }

 private:
  std::string_view bytes_;
  std::vector<ByteRange> lines_;
  std::vector<LinesOfText> all_;
  LinesOfText now_;
};

/// The markers and blanks that a line begins with.
struct LinePrefix {
  std::size_t bytes = 0;   // length of the prefix
  std::size_t indent = 0;  // columns of the blanks at its beginning
  int64_t quotes = 0;      // >
  bool is_item = false, is_heading = false;
};

/// The prefix of a line. `goes_on`: the line before is text, which only a numbered list that begins
/// with 1 interrupts.
LinePrefix prefix_of(std::string_view line, bool goes_on) {
  LinePrefix prefix;
  prefix.indent = after_run(line, " \t");
  prefix.indent += 3 * std::ranges::count(line.substr(0, prefix.indent), '\t');
  for (;;) {
    const std::size_t at = prefix.bytes = after_run(line, " \t>", prefix.bytes);
    const std::string_view rest = line.substr(at);
    const std::size_t digits = after_run(rest, "0123456789");
    std::size_t mark = rest.starts_with("•") ? 3 : after_run(rest, "#");
    if (mark == 0 && !rest.empty() && is_one_of(rest[0], "-+*")) mark = 1;
    if (digits > 0 && digits < 4 && (!goes_on || rest.substr(0, digits) == "1") &&
        digits < rest.size() && is_one_of(rest[digits], ".)"))
      mark = digits + 1;
    if (mark == 0 || mark >= rest.size() || !is_one_of(rest[mark], " \t")) break;
    (rest[0] == '#' ? prefix.is_heading : prefix.is_item) = true;
    prefix.bytes += mark;
    for (const std::string_view box : {" [ ] ", " [x] ", " [X] "})
      if (rest.substr(mark).starts_with(box)) prefix.bytes += box.size();
  }
  prefix.quotes = std::ranges::count(line.substr(0, prefix.bytes), '>');
  return prefix;
}

/// The paragraphs and items of lists of a plain text. A line that is much shorter than the widest
/// of the document did not end for want of room, so it ends its paragraph.
std::vector<LinesOfText> read_plain(std::string_view bytes) {
  LineByLine document(bytes);
  std::size_t width = 0;
  for (std::size_t i = 0; i < document.count(); ++i)
    width = std::max(width, std::min<std::size_t>(document.line(i).size(), 60));
  LinePrefix before;
  for (std::size_t i = 0; i < document.count(); ++i) {
    const std::string_view line = document.line(i);
    const LinePrefix prefix = prefix_of(line, document.has_text() && !before.is_item);
    if (prefix.is_item || prefix.quotes != before.quotes ||
        (prefix.indent > before.indent && !before.is_item) || is_blank(line))
      document.end();
    if (!is_blank(line)) document.add(i, prefix.bytes, line.size());
    if (3 * line.size() < 2 * width) document.end();
    before = prefix;
  }
  return document.result();
}

/// The line without the attributes that a heading may end in: `# Title {#name .class}`, `# Title {:
/// #name}`.
std::string_view without_attributes(std::string_view line) {
  const std::size_t begin = line.rfind('{');
  const bool are_attributes = begin != line.npos && begin > 0 && begin + 1 < line.size() &&
                              trim(line).ends_with('}') && is_one_of(line[begin - 1], " \t") &&
                              is_one_of(line[begin + 1], "#.:");
  return are_attributes ? line.substr(0, begin) : line;
}

/// The length of the line without the marks that a heading may end in, `# Title #`.
std::size_t before_closing_marks(std::string_view whole) {
  const std::string_view line = without_attributes(whole);
  const std::size_t text = line.find_last_not_of(" \t#") + 1;
  return is_one_of((std::string(line) + ' ')[text], " \t") ? text : line.size();
}

/// Bytes of the name of a note in a quotation, `[!NOTE]` or `[!tip]-`; 0 where there is none.
std::size_t bytes_of_alert(std::string_view text) {
  const std::size_t end = text.find(']');
  if (!text.starts_with("[!") || end == text.npos || text.find_first_of(" \t`[", 1) < end) return 0;
  const std::size_t after = end + 1;
  if (after < text.size() && is_one_of(text[after], "([")) return 0;  // a link
  return after + (after < text.size() && is_one_of(text[after], "+-"));
}

/// Bytes of the mark and kind of a block of text, `:::warning`, `!!! note` or `??? note "Title"`,
/// before its title; 0 where there is none.
std::size_t bytes_of_container(std::string_view text) {
  static constexpr std::string_view kOfNames =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_{}";
  const bool has_colons = text.starts_with(":::");
  if (!has_colons && !text.starts_with("!!! ") && !text.starts_with("??? ")) return 0;
  const std::size_t name = after_run(text, " ", has_colons ? after_run(text, ":") : 3);
  const std::size_t end = after_run(text, kOfNames, name);
  const std::string_view title = trim(text.substr(end));
  return end > name && (has_colons || title.empty() || title[0] == '"') ? end : 0;
}

class Markdown {
 public:
  explicit Markdown(std::string_view bytes) : document_(bytes) {}

  std::vector<LinesOfText> read() {
    for (std::size_t i = after_front_matter(); i < document_.count(); ++i) add(i);
    return document_.result();
  }

 private:
  /// The number of the first line after front matter, or 0. A rule before a blank line begins no
  /// front matter.
  std::size_t after_front_matter() const {
    const std::string_view mark = trim(document_.line(0));
    if ((mark != "---" && mark != "+++") || is_blank(document_.line(1))) return 0;
    for (std::size_t i = 1; i < document_.count(); ++i)
      if (trim(document_.line(i)) == mark || (mark == "---" && trim(document_.line(i)) == "..."))
        return i + 1;
    return 0;
  }

  /// Whether line `i` is the rule below the head of a table, |---|:--:|.
  bool is_rule_of_table(std::size_t i) const {
    const std::string_view line = document_.line(i);
    return is_one_of('|', line) && is_one_of('-', line) &&
           after_run(line, "|-: \t>") == line.size();
  }

  /// Whether a line after line `i` is `mark`.
  bool comes_after(std::size_t i, std::string_view mark) const {
    while (++i < document_.count())
      if (document_.line(i).find(mark) != std::string_view::npos) return true;
    return false;
  }

  /// The part of line `i`, whose text begins at `from`, that is code, HTML or a formula between
  /// `$$`.
  MarkdownBlocks::Line block_of(std::size_t i, std::size_t from) {
    const std::string_view line = document_.line(i), rest = line.substr(from);
    const MarkdownBlocks::Line formula{.is_kept = true, .text = line.size()};
    if (in_formula_) {
      in_formula_ = line.find("$$") == line.npos;
      return formula;
    }
    const MarkdownBlocks::Line block = blocks_.next(line);
    in_formula_ = !block.is_kept && rest.starts_with("$$") && rest.find('$', 2) == rest.npos &&
                  comes_after(i, "$$");
    if (!in_formula_) return block;
    blocks_.end_paragraph();
    return formula;
  }

  void add_cells(std::size_t i, std::size_t from) {
    const std::string_view line = document_.line(i);
    for (std::size_t at = from; at <= line.size(); ++at) {
      if (at < line.size() && (line[at] != '|' || (at > 0 && line[at - 1] == '\\'))) continue;
      document_.end();
      document_.add(i, from, at);
      from = at + 1;
    }
  }

  void add(std::size_t i) {
    const std::string_view line = document_.line(i);
    const LinePrefix prefix = prefix_of(line, document_.has_text() && !in_item_);
    // A comment may be followed by text.
    const MarkdownBlocks::Line block = block_of(i, prefix.bytes);
    std::size_t from = block.is_kept ? block.text : prefix.bytes;
    const std::string_view rest = line.substr(from);
    if (!has_words(rest)) {
      document_.end();
      in_table_ = in_table_ && !is_blank(rest);
      return;
    }
    const bool is_new =
        block.is_kept || prefix.is_item || prefix.is_heading || prefix.quotes != quotes_;
    if (is_new || rest[0] == '<') document_.end();
    in_item_ = document_.has_text() ? in_item_ : prefix.is_item;
    quotes_ = prefix.quotes;
    const std::size_t label = rest[0] == '[' ? rest.find(']') : rest.size();
    if (rest.substr(std::min(label, rest.size())).starts_with("]:")) {
      document_.end();
      if (rest[1] != '^') return;  // the address of a link; else a note
      from += label + 2;
    }
    if (const std::size_t bytes =
            quotes_ > 0 ? bytes_of_alert(line.substr(from)) : bytes_of_container(line.substr(from));
        bytes > 0) {
      document_.end();
      from += bytes;
      if (!has_words(line.substr(from))) return;
    }
    in_table_ = in_table_ || is_rule_of_table(i + 1);
    if (rest[0] == '|' || (in_table_ && is_one_of('|', rest))) return add_cells(i, from);
    const bool has_backslash = line.ends_with('\\');
    const std::size_t to =
        prefix.is_heading ? before_closing_marks(line) : line.size() - has_backslash;
    if (to > from) document_.add(i, from, to);
    if (has_backslash || prefix.is_heading || block.is_kept || line.ends_with("  ") ||
        line.ends_with('>'))
      document_.end();
  }

  LineByLine document_;
  MarkdownBlocks blocks_;
  bool in_formula_ = false;
  int64_t quotes_ = 0;    // depth of quotations in the line before
  bool in_item_ = false;  // the text being read began with the marker of a list
  bool in_table_ = false;
};

std::vector<LinesOfText> read_markdown(std::string_view bytes) {
  return Markdown(bytes).read();
}

/// The texts of subtitles: the lines below each time. A cue of SubRip may have blank lines, for
/// there are no other blocks.
std::vector<LinesOfText> read_cues(std::string_view bytes, bool blank_ends) {
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
    for (++i; i < document.count() && is_blank(document.line(i));) ++i;
    return is_time(i);
  };
  bool in_cue = false;
  for (std::size_t i = 0; i < document.count(); ++i) {
    const std::string_view line = document.line(i);
    if (is_time(i) || (blank_ends && is_blank(line))) in_cue = is_time(i);
    const bool is_text =
        in_cue && !is_time(i) && !is_time(i + 1) && !is_blank(line) && !is_number(i);
    std::size_t dash = 0;  // bytes of the dash before another speaker
    for (const std::string_view mark : {"-", "–", "—"})
      if (line.starts_with(mark)) dash = mark.size();
    if (!is_text || dash > 0) document.end();
    if (is_text) document.add(i, dash, line.size());
  }
  return document.result();
}

std::vector<LinesOfText> read_srt(std::string_view bytes) {
  return read_cues(bytes, /*blank_ends=*/false);
}
std::vector<LinesOfText> read_vtt(std::string_view bytes) {
  return read_cues(bytes, /*blank_ends=*/true);
}

std::vector<InlineToken> no_tokens(std::string_view /*text*/) {
  return {};
}

}  // namespace

const std::vector<DocumentFormat>& document_formats() {
  static const std::vector<DocumentFormat> formats = {
      {"markdown", true, read_markdown, tokens_of_markdown},
      {"srt", false, read_srt, tokens_of_cues},
      {"txt", true, read_plain, no_tokens},
      {"vtt", false, read_vtt, tokens_of_cues}};
  return formats;
}

std::size_t marker_bytes(std::string_view line) {
  return prefix_of(line, /*goes_on=*/true).bytes;
}

}  // namespace heed::text
