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
#include "document/markdown_blocks.h"
#include "document/markdown_fences.h"
#include "document/markdown_inserts.h"
#include "document/markdown_jsx.h"
#include "document/markdown_lines.h"
#include "document/templates.h"
#include "text/utf8.h"

namespace heed::document {
namespace {

/// A table has no more. md4c makes the cells that short rows lack, so that their number is that of
/// rows times that of columns.
constexpr std::size_t kMostColumns = 1000;

class CommonMarkdownMaker {
 public:
  CommonMarkdownMaker(std::string_view bytes, std::size_t from)
      : bytes_(bytes), lines_(bytes), out_{.text = std::string(bytes), .whole = {}} {
    blank(0, from);
    hide_prefixes_of_code();
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

  /// Changes the names of tags that begin as those of code and are others, such as
  /// `<Prerequisites>`: md4c 0.4.8 takes them for `<pre>`, whose block ends only at `</pre>`.
  void hide_prefixes_of_code() {
    for (std::size_t at = 0; (at = bytes_.find('<', at)) != bytes_.npos;) {
      at += 1 + (bytes_.substr(at + 1).starts_with('/') ? 1 : 0);
      for (const std::string_view name : {"pre", "script", "style", "textarea"})
        if (const std::string_view rest = bytes_.substr(at);
            ascii_lower(rest.substr(0, name.size())) == name && rest.size() > name.size() &&
            is_one_of(rest[name.size()], std::string(kOfPlainNames) + ".:"))
          out_.text[at] = 'x';
    }
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

  /// The marks of quotations of the line with byte `from`, where other lines follow before `to`:
  /// more than these would begin another quotation.
  int64_t quotes_before(std::size_t from, std::size_t to) const {
    if (bytes_.substr(from, to - from).find_first_of("\r\n") == bytes_.npos) return 0;
    const std::size_t last = bytes_.substr(0, from).find_last_of("\r\n");
    return prefix_of(bytes_.substr(last == bytes_.npos ? 0 : last + 1), /*goes_on=*/false).quotes;
  }

  void write_letters(std::size_t from, std::size_t to) {
    const int64_t quotes = quotes_before(from, to);
    int64_t left = 0;  // of the marks at the beginning of a line
    bool is_prefix = false;
    for (std::size_t at = from; at < to; ++at) {
      char& c = out_.text[at];
      const bool ends_line = is_one_of(c, "\r\n"), is_quote = c == '>' && left > 0;
      left = ends_line ? quotes : left - (is_quote ? 1 : 0);
      is_prefix = ends_line || (is_prefix && (is_quote || is_one_of(c, " \t")));
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

  /// Makes a tag of JSX one of HTML, on one line and with values in quotes.
  void make_tag(std::size_t from) {
    const JsxTag tag = jsx_tag_at(bytes_, from);
    for (std::size_t at = from; at < from + tag.bytes; ++at)
      if (is_one_of(out_.text[at], "\r\n")) out_.text[at] = ' ';
    for (const ByteRange& value : tag.values) {
      std::fill(out_.text.begin() + static_cast<std::ptrdiff_t>(value.from),
                out_.text.begin() + static_cast<std::ptrdiff_t>(value.to), Token::kWord);
      if (bytes_[value.from - 1] == '=') out_.text[value.from] = out_.text[value.to - 1] = '"';
    }
    covered_ = from + tag.bytes;
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
    if (i < after_code_) return;
    if (start(i) >= covered_ && is_rule(i)) return;
    const std::string_view line = lines_.line(i);
    const std::size_t at = start(i), bullet = letters_.bytes_of(line);
    if (at < covered_) return add_inserts(i, covered_ - at);
    if (bullet > 0) {
      out_.text[at + after_run(line, " \t")] = '-';
      return add_inserts(i, bullet);
    }
    if (is_empty_item(i)) {
      const std::size_t mark = after_run(line, " \t>");
      return make_heading(at + mark, at + line.size());
    }
    const LinePrefix prefix = prefix_of(line, /*goes_on=*/false);
    const std::size_t from = prefix.bytes;
    const std::string_view rest = rest_of_line(lines_, i, from);
    if (rest.empty()) return;
    if (prefix.is_heading) return add_heading(i, from);
    if (read_fence(i, prefix)) return;
    if (const auto last = blocks_.last_of(i, from)) return make_headings(i, from, *last);
    if (is_contents(rest) || is_inclusion(rest) || is_target(rest) || is_leaf_directive(rest) ||
        is_reference_to_module(rest) || is_comment(i, rest))
      return make_heading(at + from, at + from + rest.size());
    std::size_t bytes = prefix.quotes > 0 ? bytes_of_alert(rest) : 0;
    if (bytes == 0) bytes = bytes_of_label(rest, "*[");
    if (bytes == 0) bytes = bytes_of_field(rest);
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
    const std::string_view rest = rest_of_line(lines_, i, from);
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
    if (!is_text)
      if (const auto last = last_of_code(i, prefix, fence)) {
        after_code_ = *last + 1;
        return true;
      }
    fences_.push_back({fence.mark, fence.length, prefix.quotes, is_text});
    if (is_text) add_directive(i, at, rest, directive);
    return is_text;
  }

  /// The last line of the code that the fence in line `i` begins; nothing where it has no end, or
  /// its quotation or item ends before.
  std::optional<std::size_t> last_of_code(std::size_t i, const LinePrefix& prefix,
                                          const Fence& fence) {
    std::size_t& without_end = ends_of_fences_[{fence.mark, fence.length}];
    if (i < without_end) return {};
    constexpr std::size_t kLeastOfItems = 2, kOfCode = 4;  // columns
    const std::size_t column = prefix.is_item                  ? prefix.bytes
                               : prefix.bytes >= kLeastOfItems ? kLeastOfItems
                                                               : 0;
    for (std::size_t k = i + 1; k < lines_.count(); ++k) {
      std::string_view line = lines_.line(k);
      for (int64_t quote = 0; quote < prefix.quotes; ++quote) {
        const std::size_t mark = after_run(line, " \t");
        if (!line.substr(mark).starts_with('>')) return {};
        line.remove_prefix(mark + 1);
      }
      const std::string_view rest = trim(line);
      const std::size_t blanks = after_run(line, " \t");
      if (prefix.quotes == 0 && !rest.empty() && blanks < column && line[0] != '\t') return {};
      const Fence end = fence_of(rest);
      if (blanks < std::max(column, prefix.indent) + kOfCode && end.mark == fence.mark &&
          end.length >= fence.length && end.info.empty())
        return k;
    }
    without_end = lines_.count();
    return {};
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
      const Fence end = fence_of(text_of_line(lines_, k));
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
    const auto line_at = [&](std::size_t k) { return text_of_line(lines_, k); };
    const bool is_block = line_at(i).starts_with('/');
    std::size_t last = i;
    if (!is_block && line_at(i + 1) == "---") {
      constexpr std::size_t kMostLines = 50;
      for (std::size_t k = i + 2; k < std::min(lines_.count(), i + kMostLines) && last == i; ++k)
        if (line_at(k) == "---") last = k;
    }
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
    if (is_reference_to_module(rest_of_line(lines_, i, from)))
      return make_letters(start(i) + from, start(i) + line.size());
    if (begin == line.npos || begin < from || !trim(line).ends_with('}') ||
        !(is_name_of_heading(trim(line.substr(begin))) ||
          (is_one_of(line[begin - 1], " \t") && bytes_of_attributes(line, begin) > 0)))
      return add_inserts(i, from);
    add_inserts(i, from, begin);
    blank(start(i) + begin, start(i) + line.size());
    out_.whole.push_back({start(i) + begin, start(i) + line.size()});
  }

  /// Whether it is `{#name}`, which may directly follow the text of a heading.
  static bool is_name_of_heading(std::string_view text) {
    constexpr std::string_view kOther = " \t{}\"'`";
    return text.starts_with("{#") && text.find_first_of(kOther, 2) == text.size() - 1 &&
           text.size() > 3;
  }

  /// The title of a container may end in attributes of any name: `::: details Title {open}`.
  void add_title(std::size_t i, std::size_t from) {
    const std::string_view line = lines_.line(i);
    if (const std::size_t end = end_of_label(line, from); end > 0) {
      out_.whole.push_back({start(i) + from, start(i) + from + 1});
      blank(start(i) + from, start(i) + from + 1);
      add_inserts(i, from + 1, end);
      out_.whole.push_back({start(i) + end, start(i) + line.size()});
      return blank(start(i) + end, start(i) + line.size());
    }
    const std::size_t begin = line.rfind('{');
    if (begin == line.npos || begin < from || !trim(line).ends_with('}') ||
        !is_one_of(line[begin - 1], " \t") || trim(line.substr(begin)).find('}') == 1)
      return add_inserts(i, from);
    add_inserts(i, from, begin);
    blank(start(i) + begin, start(i) + line.size());
    out_.whole.push_back({start(i) + begin, start(i) + line.size()});
  }

  /// The bracket that ends the label of a directive, `:::note[A *label*]{#name}`, which begins at
  /// `from`; 0 where there is none.
  static std::size_t end_of_label(std::string_view line, std::size_t from) {
    if (from >= line.size() || line[from] != '[') return 0;
    std::size_t depth = 0;
    for (std::size_t at = from; at < line.size(); ++at) {
      if (line[at] == '\\') {
        ++at;
      } else if (line[at] == '[') {
        ++depth;
      } else if (line[at] == ']' && --depth == 0) {
        const std::string_view rest = trim(line.substr(at + 1));
        return rest.empty() || (rest.starts_with('{') && rest.ends_with('}')) ? at : 0;
      }
    }
    return 0;
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
      const Insert insert =
          insert_at(bytes_, {.line = line, .start = at, .first = first, .covered = covered_}, from);
      const std::size_t begin = at + insert.bytes.from, end = at + insert.bytes.to;
      has_text = has_text || insert.has_text;
      is_structure = is_structure || insert.is_structure;
      from = insert.bytes.to;
      switch (insert.kind) {
        case Insert::InsertKind::text:
          break;
        case Insert::InsertKind::item:
          make_letters(begin, end);
          out_.text[begin] = insert.letter;
          break;
        case Insert::InsertKind::target:
          make_target(begin, end);
          break;
        case Insert::InsertKind::tag:
          make_tag(begin);
          break;
        case Insert::InsertKind::marks:
          for (const std::size_t mark : {begin, end - 2})
            out_.text[mark] = out_.text[mark + 1] = '~';
          from = insert.bytes.from + 1;  // its text is read, too
          break;
      }
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
  const LineByLine lines_;
  UntranslatedBlocks blocks_{lines_};
  LetterBullets letters_;
  CommonMarkdown out_;
  std::size_t covered_ = 0;        // the byte after the last insert
  std::size_t after_code_ = 0;     // the line after the code of a fence
  std::vector<OpenFence> fences_;  // each in the one before
  std::map<std::pair<char, std::size_t>, std::size_t> ends_of_fences_;  // by mark and length
  std::map<std::size_t, std::size_t> without_end_;  // by length of a mark: up to which line
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
