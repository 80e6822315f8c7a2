// Markdown.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "document/format.h"
#include "document/inline_tokens.h"
#include "document/lines_of_text.h"
#include "document/markdown_blocks.h"
#include "document/passage.h"
#include "text/utf8.h"
#include "text/words.h"

namespace heed::document {
namespace {

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
    if ((mark != "---" && mark != "+++") || text::is_blank(document_.line(1))) return 0;
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
    if (!text::has_words(rest)) {
      document_.end();
      in_table_ = in_table_ && !text::is_blank(rest);
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
      if (!text::has_words(line.substr(from))) return;
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

}  // namespace

Passages read_markdown(std::string_view bytes, const ReadOptions& /*options*/) {
  return passages_of(bytes, Markdown(bytes).read(), tokens_of_markdown, /*has_markers=*/true);
}

}  // namespace heed::document
