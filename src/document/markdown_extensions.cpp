#include "document/markdown_extensions.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "document/lines_of_text.h"
#include "document/markdown_fences.h"
#include "document/markdown_inserts.h"
#include "document/templates.h"
#include "text/utf8.h"

namespace heed::document {
namespace {

/// A table has no more. md4c makes the cells that short rows lack, so that their number is that of
/// rows times that of columns.
constexpr std::size_t kMostColumns = 1000;

/// Bytes of the name of a note in a quotation, `[!NOTE]` or `[!tip]-`; 0 where there is none.
std::size_t bytes_of_alert(std::string_view text) {
  const std::size_t end = text.find(']');
  if (!text.starts_with("[!") || end == text.npos || text.find_first_of(" \t`[", 1) < end) return 0;
  const std::size_t after = end + 1;
  if (after < text.size() && is_one_of(text[after], "([")) return 0;  // a link
  return after + (after < text.size() && is_one_of(text[after], "+-"));
}

/// Bytes of the mark and kind of a block of text, `:::warning`, `:::{note}`, `!!! note` or
/// `??? note "Title"`, before its title; 0 where there is none.
std::size_t bytes_of_container(std::string_view text) {
  const bool has_colons = text.starts_with(":::");
  if (!has_colons && !text.starts_with("!!! ") && !text.starts_with("??? ") &&
      !text.starts_with("???+ "))
    return 0;
  const std::size_t mark = has_colons ? after_run(text, ":") : after_run(text, "!?+");
  const std::size_t name = after_run(text, " ", mark);
  if (has_colons && name == text.size()) return name;  // its end
  std::size_t end = after_run(text, kOfNames, name);
  if (has_colons && text[name] == '{') end = text.find('}', name) + 1;  // 0: there is none
  const std::string_view title = trim(text.substr(end));
  return end > name && (has_colons || title.empty() || title[0] == '"') ? end : 0;
}

/// Bytes of the mark of a tab of MkDocs, `=== "Title"`, `===! "Title"` or `===+ "Title"`, before
/// the quote; 0 where there is none.
std::size_t bytes_of_tab(std::string_view text) {
  if (!text.starts_with("===") || text.size() < 7) return 0;
  const std::size_t bytes = (is_one_of(text[3], "!+") ? 4 : 3) + 1;
  const std::string_view title = text.substr(bytes);
  return text[bytes - 1] == ' ' && title.size() > 2 && title[0] == '"' && title.ends_with('"')
             ? bytes
             : 0;
}

/// Whether a line names a file that stands in its place: `<<< @/a.js{1,3}` of VitePress, or
/// `--8<-- "a.md"` of PyMdown.
bool is_inclusion(std::string_view text) {
  const std::size_t scissors = after_run(text, "-");
  if (scissors > 0 && text.substr(scissors).starts_with("8<-")) return true;
  if (!text.starts_with("<<<")) return false;
  const std::string_view name = trim(text.substr(3));
  return !name.empty() && is_one_of(name[0], "@./");
}

/// Whether a line is the mark between which files are named, one a line: `--8<--`.
bool is_mark_of_inclusions(std::string_view text) {
  const std::size_t scissors = after_run(text, "-");
  return scissors > 0 && text.substr(scissors).starts_with("8<-") &&
         after_run(text, "-", scissors + 2) == text.size();
}

/// Bytes of a table of contents that takes the whole line, `[TOC]` or `[[toc]]`.
bool is_contents(std::string_view text) {
  const std::string name = ascii_lower(text);
  return name == "[toc]" || name == "[[toc]]" || name == "[[_toc_]]" || name == "[_toc_]";
}

/// Bytes of a label and the colon after it, `[^1]:` or `*[HTML]:`, which begins with `mark`; 0
/// where there is none.
std::size_t bytes_of_label(std::string_view text, std::string_view mark) {
  if (!text.starts_with(mark)) return 0;
  const std::size_t end = text.find(']');
  return end != text.npos && end > mark.size() && text.substr(end).starts_with("]:") ? end + 2 : 0;
}

/// Bytes of a block of PyMdown before its title, `/// tip | Title`, or of its end, `///`; 0 where
/// there is none.
std::size_t bytes_of_slashes(std::string_view text) {
  constexpr std::size_t kLeast = 3;
  const std::size_t mark = after_run(text, "/");
  if (mark < kLeast || mark == text.size()) return mark < kLeast ? 0 : mark;
  const std::size_t name = after_run(text, " ", mark), end = after_run(text, kOfNames, name);
  if (name == mark || end == name) return 0;
  const std::size_t bar = after_run(text, " ", end);
  if (bar == text.size()) return bar;
  if (text[bar] != '|') return 0;
  const std::string_view kind = text.substr(name, end - name);
  const bool is_title = kind != "html" && !kind.ends_with("caption");
  return is_title ? bar + 1 : text.size();
}

/// Whether the line is a target of MyST, `(name)=`.
bool is_target(std::string_view text) {
  return text.starts_with('(') && text.ends_with(")=") && text.size() > 3 &&
         text.find_first_of(" \t`()", 1) == text.size() - 2;
}

/// Whether a sentence may have ended with this text.
bool follows_sentence(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t");
  return last != text.npos && is_one_of(text[last], ".!?");
}

/// Whether a line is a block without text, `::include{file=a.md}`.
bool is_leaf_directive(std::string_view text) {
  if (!text.starts_with("::") || !text.ends_with('}')) return false;
  const std::size_t name = after_run(text, kOfPlainNames, 2);
  return name > 2 && name < text.size() && text[name] == '{' && text.find('}') + 1 == text.size();
}

/// Whether an item begins with a mark of Obsidian's tasks, as `[>] `, that GitHub's have not.
bool is_mark_of_task(std::string_view text) {
  return text.size() > 3 && text[0] == '[' && is_one_of(text[1], "<>-/!?*~+") && text[2] == ']' &&
         text[3] == ' ';
}

/// A row of a table by its cells; `|` after a backslash is in a cell.
std::vector<std::string_view> cells_of(std::string_view row) {
  row = trim(row);
  if (row.starts_with('|')) row.remove_prefix(1);
  std::vector<std::string_view> cells;
  std::size_t from = 0;
  for (std::size_t at = 0; at < row.size(); ++at) {
    if (row[at] == '\\') {
      ++at;
    } else if (row[at] == '|') {
      cells.push_back(row.substr(from, at - from));
      from = at + 1;
    }
  }
  if (from < row.size()) cells.push_back(row.substr(from));
  return cells;
}

/// Whether a line is `|---|:-:|`, below the head of a table.
bool is_rule_of_table(std::string_view line) {
  if (!is_one_of('|', line) || !is_one_of('-', line) || after_run(line, "|-: \t") < line.size())
    return false;
  return std::ranges::all_of(cells_of(line), [](std::string_view cell) {
    cell = trim(cell);
    if (cell.starts_with(':')) cell.remove_prefix(1);
    if (cell.ends_with(':')) cell.remove_suffix(1);
    return !cell.empty() && after_run(cell, "-") == cell.size();
  });
}

class CommonMarkdownMaker {
 public:
  CommonMarkdownMaker(std::string_view bytes, std::size_t from)
      : bytes_(bytes), lines_(bytes), out_{.text = std::string(bytes), .whole = {}} {
    blank(0, from);
    for (std::size_t i = 0; i < lines_.count(); ++i)
      if (start(i) >= from) add(i);
  }

  CommonMarkdown result() && {
    insert_dashes();
    return std::move(out_);
  }

 private:
  std::size_t start(std::size_t i) const {
    return static_cast<std::size_t>(lines_.line(i).data() - bytes_.data());
  }

  /// Makes bytes blanks; ends of lines stay.
  void blank(std::size_t from, std::size_t to) {
    for (std::size_t at = from; at < to; ++at)
      if (!is_one_of(out_.text[at], "\r\n")) out_.text[at] = ' ';
  }

  /// Makes bytes at the beginning of a line an empty heading, or the mark of one.
  void make_heading(std::size_t from, std::size_t to) {
    blank(from, to);
    out_.text[from] = '#';
    out_.whole.push_back({from, to});  // in a block of HTML it is no heading
  }

  /// Makes bytes letters, apart from ends of lines and the marks of quotations after them.
  void make_letters(std::size_t from, std::size_t to) {
    out_.whole.push_back({from, to});
    write_letters(from, to);
    covered_ = to;
  }

  void write_letters(std::size_t from, std::size_t to) {
    bool is_prefix = false;
    for (std::size_t at = from; at < to; ++at) {
      char& c = out_.text[at];
      is_prefix = is_one_of(c, "\r\n") || (is_prefix && is_one_of(c, " \t>"));
      if (!is_prefix) c = Token::kWord;
    }
  }

  /// Makes attributes the address of a link.
  void make_target(std::size_t from, std::size_t to) {
    write_letters(from, to);
    out_.text[from] = '(';
    out_.text[to - 1] = ')';
    covered_ = to;
  }

  /// The byte after the text of line `i` that follows its markers, without blanks at its end.
  std::string_view rest_of(std::size_t i, std::size_t from) const {
    const std::string_view line = lines_.line(i);
    return line.substr(from, std::max(from, line.find_last_not_of(" \t") + 1) - from);
  }

  /// The last line of the formula that begins line `i` after byte `from` of it, and that has lines
  /// of its own: between `$$`, or `\[` and `\]`.
  std::optional<std::size_t> last_of_formula(std::size_t i, std::size_t from) const {
    constexpr std::size_t kMostLines = 200;
    const std::string_view first = rest_of(i, from);
    const bool has_brackets = first.starts_with("\\[");
    if (!has_brackets && (!first.starts_with("$$") || first.starts_with("$$$"))) return {};
    const std::string_view end = has_brackets ? "\\]" : "$$";
    bool is_formula = !has_brackets;
    for (std::size_t k = i; k < lines_.count() && k < i + kMostLines; ++k) {
      const std::string_view rest =
          k == i ? first.substr(2) : rest_of(k, after_run(lines_.line(k), " \t>"));
      if (k > i && rest.empty()) return {};
      if (is_one_of('`', rest) || rest.starts_with("~~~")) return {};
      const std::size_t found = rest.find(end);
      is_formula = is_formula || rest.substr(0, found).find_first_of("=^_{}\\+<>") != rest.npos;
      if (found == rest.npos) continue;
      const bool is_last = found + end.size() == rest.size() || (k > i && found == 0);
      return is_last && is_formula ? std::optional(k) : std::nullopt;
    }
    return {};
  }

  /// The last line of the code that a template which begins line `i` after byte `from` of it has
  /// around it: `{% highlight ruby %}` up to `{% endhighlight %}`, `{{< highlight go >}}` up to
  /// `{{< /highlight >}}`.
  std::optional<std::size_t> last_of_code(std::size_t i, std::size_t from) {
    const std::string_view first = rest_of(i, from);
    const bool is_liquid = first.starts_with("{%");
    if (!is_liquid && !first.starts_with("{{<") && !first.starts_with("{{%")) return {};
    const std::string_view mark = first.substr(0, is_liquid ? 2 : 3);
    const std::size_t begin = after_run(first, "- \t", mark.size());
    const std::string_view name = first.substr(begin, after_run(first, kOfNames, begin) - begin);
    if (!keeps_content(name)) return {};
    const std::string end = (is_liquid ? "end" : "/") + std::string(name);
    std::size_t& k = ends_of_code_.try_emplace(std::string(mark) + end, 0).first->second;
    const auto is_end = [&](std::string_view rest) {
      const std::size_t tag = rest.rfind(mark);
      if (tag == rest.npos) return false;
      const std::string_view inside = rest.substr(after_run(rest, "- \t", tag + mark.size()));
      return inside.starts_with(end) && after_run(inside, kOfNames, end.size()) == end.size();
    };
    if (k <= i)
      for (k = i; k < lines_.count() && !is_end(lines_.line(k));) ++k;
    return rest_of(k, 0).ends_with(is_liquid ? "%}" : "}}") ? std::optional(k) : std::nullopt;
  }

  /// The last line of the names of files that stand between two marks, of which line `i` is one.
  std::optional<std::size_t> last_of_inclusions(std::size_t i, std::size_t from) const {
    constexpr std::size_t kMostLines = 200;
    if (!is_mark_of_inclusions(rest_of(i, from))) return {};
    for (std::size_t k = i + 1; k < lines_.count() && k < i + kMostLines; ++k)
      if (is_mark_of_inclusions(rest_of(k, after_run(lines_.line(k), " \t>")))) return k;
    return {};
  }

  /// The last line of a comment of Obsidian that begins line `i` and has lines of its own.
  std::optional<std::size_t> last_of_comment(std::size_t i, std::size_t from) const {
    constexpr std::size_t kMostLines = 200;
    const std::string_view first = rest_of(i, from);
    if (!first.starts_with("%%") || first.find("%%", 2) != first.npos) return {};
    for (std::size_t k = i + 1; k < lines_.count() && k < i + kMostLines; ++k)
      if (rest_of(k, 0).ends_with("%%")) return k;
    return {};
  }

  /// The last line of a paragraph of MDX that imports or exports: `import Tabs from "@theme/Tabs";`
  /// or `export const x = 1;`.
  std::optional<std::size_t> last_of_module(std::size_t i, std::size_t from) {
    if (from > 0 || (i > 0 && last_of_module_ + 1 != i && !text::is_blank(lines_.line(i - 1))))
      return {};
    constexpr std::size_t kMostLines = 50;
    const std::string_view first = rest_of(i, 0);
    std::size_t last = i;
    if (first.starts_with("import ")) {
      const auto ends = [](std::string_view line) {
        if (line.ends_with(';')) line.remove_suffix(1);
        constexpr std::string_view kQuotes = "\"'", kImport = "import ";
        if (line.size() < 2 || !is_one_of(line.back(), kQuotes)) return false;
        if (line.find(" from ") != line.npos) return true;
        const std::size_t name = after_run(line, " \t", kImport.size());
        return line.starts_with(kImport) && name < line.size() && is_one_of(line[name], kQuotes);
      };
      const bool goes_on = first.find('{') != first.npos && first.find('}') == first.npos;
      if (!goes_on && !ends(first)) return {};
      while (goes_on && last + 1 < lines_.count() && last < i + kMostLines &&
             !ends(rest_of(last, 0)))
        if (text::is_blank(lines_.line(++last))) return {};
      if (!ends(rest_of(last, 0))) return {};
    } else if (first.starts_with("export const ") || first.starts_with("export default ") ||
               first.starts_with("export function ") || first.starts_with("export let ")) {
      if (first.find_first_of("=({") == first.npos) return {};
      while (last + 1 < lines_.count() && !text::is_blank(lines_.line(last + 1))) ++last;
    } else {
      return {};
    }
    last_of_module_ = last;
    return last;
  }

  /// Makes lines `i`, from byte `from` of it, to `last` empty headings.
  void make_headings(std::size_t i, std::size_t from, std::size_t last) {
    for (std::size_t k = i; k <= last; ++k) {
      const std::size_t begin = k == i ? from : after_run(lines_.line(k), " \t>");
      if (begin < lines_.line(k).size())
        make_heading(start(k) + begin, start(k) + lines_.line(k).size());
    }
    covered_ = start(last) + lines_.line(last).size();
  }

  /// Whether line `i` is an item without text, which ends before a blank line. md4c 0.4.8 goes on
  /// with what is indented after it, such as code.
  bool is_empty_item(std::size_t i) const {
    const std::string_view mark = trim(lines_.line(i).substr(after_run(lines_.line(i), " \t>")));
    if ((mark != "-" && mark != "*" && mark != "+") || !text::is_blank(lines_.line(i + 1)))
      return false;
    const std::string_view before = i > 0 ? lines_.line(i - 1) : "";
    return text::is_blank(before) || prefix_of(before, /*goes_on=*/false).is_item;
  }

  /// Where line `i` is the rule of a table, notes the dashes that it lacks. A rule with another
  /// number of cells than the line before makes no table, and md4c would leave cells out.
  bool is_rule(std::size_t i) {
    const std::string_view line = lines_.line(i);
    const std::size_t from = after_run(line, " \t>");
    if (i == 0 || !is_rule_of_table(line.substr(from))) return false;
    const LinePrefix head = prefix_of(lines_.line(i - 1), /*goes_on=*/false);
    const auto cells = cells_of(line.substr(from));
    if (cells.size() != cells_of(lines_.line(i - 1).substr(head.bytes)).size()) {
      if (!text::is_blank(lines_.line(i - 1)))
        make_letters(start(i) + from, start(i) + line.size());
      return true;
    }
    if (cells.size() > kMostColumns)
      throw UserError("line {}: the table has {} columns, and {} are the most; divide it", i + 1,
                      cells.size(), kMostColumns);
    constexpr std::size_t kLeast = 3;
    for (const std::string_view cell : cells)
      if (const std::string_view rule = trim(cell); rule.size() < kLeast)
        dashes_.push_back({static_cast<std::size_t>(rule.data() - bytes_.data()) + rule.find('-'),
                           kLeast - rule.size()});
    return true;
  }

  /// Inserts dashes_.
  void insert_dashes() {
    if (dashes_.empty()) return;
    std::string text;
    std::size_t from = 0, all = 0;
    auto whole = out_.whole.begin();
    for (const auto& [at, bytes] : dashes_) {
      for (; whole != out_.whole.end() && whole->from < at; ++whole)
        whole->from += all, whole->to += all;
      text += out_.text.substr(from, at - from);
      text.append(bytes, '-');
      from = at;
      all += bytes;
      out_.inserted.push_back({text.size(), all});
    }
    for (; whole != out_.whole.end(); ++whole) whole->from += all, whole->to += all;
    out_.text = text + out_.text.substr(from);
  }

  void add(std::size_t i) {
    if (start(i) >= covered_ && is_rule(i)) return;
    const std::string_view line = lines_.line(i);
    const std::size_t at = start(i);
    if (at < covered_) return add_inserts(i, covered_ - at);
    if (is_empty_item(i)) {
      const std::size_t mark = after_run(line, " \t>");
      return make_heading(at + mark, at + line.size());
    }
    const LinePrefix prefix = prefix_of(line, /*goes_on=*/false);
    const std::size_t from = prefix.bytes;
    const std::string_view rest = rest_of(i, from);
    if (rest.empty()) return;
    if (prefix.is_heading) return add_heading(i, from);
    if (read_fence(i, prefix)) return;
    if (const auto last = last_of_formula(i, from)) return make_headings(i, from, *last);
    if (const auto last = last_of_code(i, from)) return make_headings(i, from, *last);
    if (const auto last = last_of_inclusions(i, from)) return make_headings(i, from, *last);
    if (const auto last = last_of_comment(i, from)) return make_headings(i, from, *last);
    if (const auto last = last_of_module(i, from)) return make_headings(i, from, *last);
    if (is_contents(rest) || is_inclusion(rest) || is_target(rest) || is_leaf_directive(rest) ||
        is_comment(i, rest))
      return make_heading(at + from, at + from + rest.size());
    std::size_t bytes = prefix.quotes > 0 ? bytes_of_alert(rest) : 0;
    if (bytes == 0) bytes = bytes_of_label(rest, "*[");
    if (bytes == 0 && rest[0] == ':' && (bytes = bytes_of_container(rest)) > 0) {
      make_heading(at + from, at + from + bytes);
      return add_title(i, from + bytes);
    }
    if (bytes > 0) {
      make_heading(at + from, at + from + bytes);
      return add_inserts(i, from + bytes);
    }
    if (bytes = bytes_of_slashes(rest); bytes > 0) {
      make_heading(at + from, at + from + bytes);
      add_inserts(i, from + bytes);
      return add_options(i);
    }
    if (bytes = bytes_of_container(rest); bytes > 4) {
      make_item(at + from, at + from + bytes);
      out_.text[at + from + 4] = '#';
      const std::size_t title = from + after_run(rest, " ", bytes), end = from + rest.size();
      if (end > title + 1 && line[end - 1] == '"') {
        blank(at + title, at + title + 1);
        blank(at + end - 1, at + end);
      }
      return add_inserts(i, title);
    }
    if (bytes = bytes_of_tab(rest); bytes > 0) {
      make_item(at + from, at + from + bytes);
      out_.text[at + from + bytes - 1] = '#';
      blank(at + from + bytes, at + from + bytes + 1);
      blank(at + from + rest.size() - 1, at + from + rest.size());
      return add_inserts(i, from + bytes);
    }
    if (bytes = bytes_of_label(rest, "[^"); bytes > 0) {
      make_item(at + from, at + from + bytes);
      write_letters(at + from + 4, at + from + bytes);
      return add_inserts(i, from + bytes);
    }
    if (rest.size() > 2 && rest[0] == ':' && is_one_of(rest[1], " \t")) out_.text[at + from] = '-';
    add_inserts(i, from);
  }

  /// Reads a line that begins or ends a fence, apart from the fences of code, which a parser of
  /// Markdown reads; returns whether it did.
  bool read_fence(std::size_t i, const LinePrefix& prefix) {
    while (!fences_.empty() && prefix.quotes < fences_.back().quotes) fences_.pop_back();
    const std::size_t from = prefix.bytes, at = start(i) + from;
    const std::string_view rest = rest_of(i, from);
    const Fence fence = fence_of(rest);
    const std::string_view directive = directive_of(fence.info);
    if (fence.length == 0) return false;
    if (fence.mark == ':') {
      if (directive.empty()) return false;
      if (is_directive_of_code(directive)) return add_code(i, from, fence);
      add_directive(i, at, rest, directive);
      return true;
    }
    if (fence.info.empty()) {
      // The end of the outermost that it can end.
      const auto open = std::ranges::find_if(fences_, [&](const OpenFence& one) {
        return one.mark == fence.mark && one.length <= fence.length;
      });
      if (open != fences_.end()) {
        const bool is_text = open->is_text;
        fences_.erase(open, fences_.end());
        if (is_text) make_heading(at, at + rest.size());
        return is_text;
      }
    }
    if (!fences_.empty() && !fences_.back().is_text) return false;
    const bool is_text = is_directive_of_text(directive);
    fences_.push_back({fence.mark, fence.length, prefix.quotes, is_text});
    if (is_text) add_directive(i, at, rest, directive);
    return is_text;
  }

  /// Adds the first line of a directive, which has `rest` from byte `at` of the document on, and
  /// its options.
  void add_directive(std::size_t i, std::size_t at, std::string_view rest,
                     std::string_view directive) {
    const auto after_name =
        static_cast<std::size_t>(directive.data() + directive.size() + 1 - rest.data());
    const std::size_t title = has_no_title(directive) ? rest.size() : after_name;
    make_heading(at, at + title);
    add_title(i, at + title - start(i));
    add_options(i);
  }

  /// Makes the content of a directive that is code empty headings; returns false where it has no
  /// end.
  bool add_code(std::size_t i, std::size_t from, const Fence& fence) {
    if (i < without_end_[fence.length]) return false;
    for (std::size_t k = i + 1; k < lines_.count(); ++k) {
      const Fence end = fence_of(rest_of(k, after_run(lines_.line(k), " \t>")));
      if (end.mark != ':' || end.length < fence.length || !end.info.empty()) continue;
      make_headings(i, from, k);
      return true;
    }
    without_end_[fence.length] = lines_.count();
    return false;
  }

  /// Makes the options after the first line of a directive or a block empty headings: lines such as
  /// `:name: x`, those between two lines of `---`, or indented ones of PyMdown.
  void add_options(std::size_t i) {
    const auto line_at = [&](std::size_t k) {
      return rest_of(k, after_run(lines_.line(k), " \t>"));
    };
    const bool is_block = line_at(i).starts_with('/');
    std::size_t last = i;
    if (!is_block && line_at(i + 1) == "---") {
      constexpr std::size_t kMostLines = 50;
      for (std::size_t k = i + 2; k < std::min(lines_.count(), i + kMostLines) && last == i; ++k)
        if (line_at(k) == "---") last = k;
    }
    const auto is_option = [&](std::string_view text) {
      const std::size_t end = after_run(text, kOfNames, 1);
      return text.starts_with(':') && end > 1 && end < text.size() && text[end] == ':' &&
             (end + 1 == text.size() || text[end + 1] == ' ');
    };
    if (is_block)
      while (lines_.line(last + 1).starts_with("    ") && !line_at(last + 1).empty() &&
             is_one_of(':', line_at(last + 1)))
        ++last;
    else
      while (is_option(line_at(last + 1))) ++last;
    if (last > i) make_headings(i + 1, after_run(lines_.line(i + 1), " \t>"), last);
  }

  /// Whether line `i` is a comment of MyST, `% comment`, or the end of a part, `+++`. A percent
  /// sign in a paragraph, and Pandoc's title at the beginning of a document, are text.
  bool is_comment(std::size_t i, std::string_view rest) const {
    if (rest.starts_with("+++") && (rest.size() == 3 || trim(rest.substr(3)).starts_with('{')))
      return true;
    const auto is_part = [&](std::size_t k) { return lines_.line(k).starts_with('%'); };
    if (!rest.starts_with("% ") || i == 0 || !is_part(i)) return false;
    return text::is_blank(lines_.line(i - 1)) || (is_part(i - 1) && out_.text[start(i - 1)] == '#');
  }

  /// A heading may end in attributes: `# Title {#name .class}`, `# Title {: #name}`.
  void add_heading(std::size_t i, std::size_t from) {
    const std::string_view line = lines_.line(i);
    const std::size_t begin = line.rfind('{');
    if (begin == line.npos || begin < from || !trim(line).ends_with('}') ||
        !is_one_of(line[begin - 1], " \t") || bytes_of_attributes(line, begin) == 0)
      return add_inserts(i, from);
    add_inserts(i, from, begin);
    blank(start(i) + begin, start(i) + line.size());
    out_.whole.push_back({start(i) + begin, start(i) + line.size()});
  }

  /// The title of a container may end in attributes of any name: `::: details Title {open}`.
  void add_title(std::size_t i, std::size_t from) {
    const std::string_view line = lines_.line(i);
    const std::size_t begin = line.rfind('{');
    if (begin == line.npos || begin < from || !trim(line).ends_with('}') ||
        !is_one_of(line[begin - 1], " \t") || trim(line.substr(begin)).find('}') == 1)
      return add_inserts(i, from);
    add_inserts(i, from, begin);
    blank(start(i) + begin, start(i) + line.size());
    out_.whole.push_back({start(i) + begin, start(i) + line.size()});
  }

  /// Makes bytes the marker of an item whose text is indented by four columns.
  void make_item(std::size_t from, std::size_t to) {
    blank(from, to);
    out_.text[from] = '-';
    out_.whole.push_back({from, to});
  }

  /// Reads what stands in line `i`, from its byte `from` up to `to`.
  void add_inserts(std::size_t i, std::size_t from, std::size_t to = std::string_view::npos) {
    const std::string_view line = lines_.line(i).substr(0, to);
    const std::size_t at = start(i), first = from;
    const std::size_t count = out_.whole.size();
    bool is_structure = false, has_text = false;
    while (from < line.size()) {
      const char c = line[from];
      const std::string_view rest = line.substr(from);
      std::size_t bytes = 0;
      char letter = Token::kWord;
      if (c == '\\' && rest.starts_with("\\@ref(")) {
        bytes = rest.find(')') + 1;  // 0: there is none
      }
      if (c == '\\' && bytes == 0) {
        has_text = true;
        from += 2;
        continue;
      }
      if (c == '`') {
        has_text = true;
        const std::size_t code = bytes_of_code(line, from);
        from = code > 0 ? from + code : after_run(line, "`", from);
        continue;
      }
      if (c == '^' && ((bytes = bytes_of_note(bytes_, at + from)) > 0 ||
                       (bytes = bytes_of_block_name(line, from)) > 0)) {
        letter = CommonMarkdown::kNote;
      } else if (const ByteRange word =
                     is_one_of(c, "~^") ? word_with_scripts(line, from) : ByteRange{};
                 !word.is_empty() && at + word.from >= covered_) {
        from = word.from;
        bytes = word.to - word.from;
      } else if (is_one_of(c, "+=") && (bytes = bytes_of_end_of_change(line, from)) > 0) {
      } else if (c == '%') {
        bytes = bytes_of_comment(line, from);
      } else if (c == '@') {
        bytes = bytes_of_mention(line, from);
      } else if (c == '#') {
        bytes = bytes_of_hashtag(line, from);
      } else if (is_one_of(c, "0123456789abcdef")) {
        bytes = bytes_of_commit(line, from);
      } else if (is_one_of(c, "=^") && at + from >= covered_) {
        // Marks around text, as those of GitHub's `~~`.
        const std::size_t marked = bytes_of_marked(line, from, c == '=' ? "==" : "^^");
        const bool is_beside_strike =
            (from > 0 && line[from - 1] == '~') || line.substr(from + marked).starts_with('~');
        if (marked > 0 && !is_beside_strike)
          for (const std::size_t mark : {from, from + marked - 2})
            out_.text[at + mark] = out_.text[at + mark + 1] = '~';
      } else if (c == '+') {
        bytes = bytes_of_keys(line, from);
      } else if (c == '!') {  // a page or a picture that stands in its place
        bytes = bytes_of_wiki_link(line, from + 1);
        bytes = bytes > 0 ? bytes + 1 : bytes_of_hashtag(line, from);
      } else if (c == '{' && ((bytes = bytes_of_change(line, from)) > 0 ||
                              (bytes = bytes_of_jsx_value(line, from)) > 0)) {
        has_text = true;
      } else if (c == '{' && (bytes = bytes_of_role(bytes_, at + from)) > 0) {
        has_text = true;
      } else if (c == '{' || rest.starts_with("<%")) {
        bytes = bytes_of_template(bytes_, at + from);
        is_structure =
            is_structure ||
            (bytes > 0 && (is_statement(rest.substr(0, bytes)) || rest.starts_with("{{%")));
        if (bytes > 0 && c == '<' && is_statement(rest.substr(0, bytes)))
          letter = CommonMarkdown::kNote;
        if (bytes == 0 && c == '{') {
          bytes = bytes_of_attributes(line, from);
          is_structure = is_structure || (bytes > 0 && from == first);
          if (bytes > 0 && begin_of_span(line, from) != line.npos) {
            // A parser of CommonMark reads a link, and its text is in the sentence.
            make_target(at + from, at + from + bytes);
            from += bytes;
            continue;
          }
        }
      } else if (c == '$') {
        bytes = bytes_of_formula(line, from);
        if (is_one_of('`', line.substr(from, bytes))) bytes = 0;
      } else if (c == ':') {
        bytes = bytes_of_role(bytes_, at + from);
        if (bytes > 0)
          has_text = true;
        else
          bytes = bytes_of_emoji(line, from);
        if (bytes > 0 && from + bytes < line.size() && line[from + bytes] == '{')
          bytes += bytes_of_attributes(line, from + bytes);
      } else if (c == '[' && from == first && is_mark_of_task(rest)) {
        bytes = 3;
      } else if (c == '[' && !rest.starts_with("[^")) {
        bytes = bytes_of_wiki_link(line, from);
        if (bytes == 0 && (bytes = bytes_of_citation(line, from)) > 0 &&
            follows_sentence(line.substr(0, from)))
          letter = CommonMarkdown::kNote;
      } else if (c == '[') {
        letter = CommonMarkdown::kNote;
        const std::size_t end = line.find_first_of("] \t`", from + 2);
        bytes = end != line.npos && line[end] == ']' && end > from + 2 ? end + 1 - from : 0;
      }
      if (bytes == 0) {
        has_text = has_text || !is_one_of(c, " \t");
        ++from;
        continue;
      }
      make_letters(at + from, at + from + bytes);
      out_.text[at + from] = letter;
      from += bytes;
    }
    if (!is_structure || has_text || covered_ > at + line.size()) return;
    // A line of nothing but tags of templates ends a paragraph.
    out_.whole.resize(count);
    const std::size_t begin = first + after_run(line.substr(first), " \t");
    make_heading(at + begin, at + line.size());
  }

  /// A fence whose end is still to come.
  struct OpenFence {
    char mark;
    std::size_t length;
    int64_t quotes;  // as in LinePrefix
    bool is_text;    // a directive with text
  };

  std::string_view bytes_;
  LineByLine lines_;
  CommonMarkdown out_;
  std::size_t covered_ = 0;                                  // the byte after the last insert
  std::size_t last_of_module_ = std::string_view::npos - 1;  // the line
  std::vector<OpenFence> fences_;                            // each in the one before
  std::map<std::size_t, std::size_t> without_end_;   // by length of a mark: up to which line
  std::map<std::string, std::size_t> ends_of_code_;  // by end: the next line that has it
  std::vector<std::pair<std::size_t, std::size_t>> dashes_;  // byte of the document, how many
};

}  // namespace

std::size_t CommonMarkdown::source(std::size_t at) const {
  const auto after = std::ranges::upper_bound(inserted, at, {}, &Inserted::from);
  return after == inserted.begin() ? at : at - std::prev(after)->bytes;
}

CommonMarkdown common_markdown(std::string_view bytes, std::size_t from) {
  return CommonMarkdownMaker(bytes, from).result();
}

}  // namespace heed::document
