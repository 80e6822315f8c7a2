#include "document/markdown_blocks.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "base/strings.h"
#include "text/words.h"

namespace heed::document {
namespace {

constexpr std::size_t kCode = 4;              // columns of indentation
constexpr std::size_t kMostContainers = 100;  // containers in one another

bool is_blank_or_tab(char c) {
  return c == ' ' || c == '\t';
}

bool has_only_blanks(std::string_view rest) {
  return rest.find_first_not_of(" \t") == rest.npos;
}

/// Whether the line is a thematic break: `---`, `* * *` or the like.
bool is_thematic_break(std::string_view rest) {
  const char mark = rest.empty() ? ' ' : rest[0];
  if (mark != '*' && mark != '-' && mark != '_') return false;
  return std::ranges::count(rest, mark) >= 3 &&
         std::ranges::all_of(rest, [&](char c) { return c == mark || is_blank_or_tab(c); });
}

bool is_marked_heading(std::string_view rest) {
  const std::size_t marks = std::min(rest.find_first_not_of('#'), rest.size());
  return marks > 0 && marks <= 6 && (marks == rest.size() || is_blank_or_tab(rest[marks]));
}

/// Whether the line is the underline below the text of a heading.
bool is_underline(std::string_view rest) {
  if (rest.empty() || (rest[0] != '=' && rest[0] != '-')) return false;
  return has_only_blanks(rest.substr(std::min(rest.find_first_not_of(rest[0]), rest.size())));
}

bool is_ascii_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// The name, in small letters, of the tag that `rest` begins with; "" where there is none.
std::string tag_name(std::string_view rest) {
  const std::size_t from = rest.starts_with("</") ? 2 : 1;
  std::size_t end = from;
  while (end < rest.size() &&
         (is_ascii_letter(rest[end]) ||
          (end > from && (rest[end] == '-' || (rest[end] >= '0' && rest[end] <= '9')))))
    ++end;
  return ascii_lower(rest.substr(std::min(from, rest.size()), end - from));
}

bool is_block_of_html(const std::string& name) {
  static const text::WordSet names = text::word_set(
      "address article aside base basefont blockquote body caption center col colgroup dd details "
      "dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 "
      "h6 head header hr html iframe legend li link main menu menuitem nav noframes ol optgroup "
      "option p param search section summary table tbody td tfoot th thead title tr track ul");
  return names.contains(name);
}

/// Whether `rest` is one whole tag and nothing else.
bool is_tag_alone(std::string_view rest) {
  const bool closes = rest.starts_with("</");
  std::size_t at = (closes ? 2 : 1) + tag_name(rest).size();
  const auto skip = [&](std::string_view characters) {
    const std::size_t from = at;
    at = std::min(rest.find_first_not_of(characters, at), rest.size());
    return at > from;
  };
  const auto has = [&](char c) { return at < rest.size() && rest[at] == c; };
  while (skip(" \t") && !closes) {
    const std::size_t name = at;
    at = std::min(rest.find_first_of(" \t\"'=<>`/", at), rest.size());
    if (at == name) break;
    const std::size_t after_name = at;
    skip(" \t");
    if (!has('=')) {
      at = after_name;
      continue;
    }
    ++at;
    skip(" \t");
    const char quote = at < rest.size() ? rest[at] : ' ';
    if (quote == '"' || quote == '\'') {
      at = rest.find(quote, at + 1);
      if (at == rest.npos) return false;
      ++at;
    } else {
      const std::size_t value = at;
      at = std::min(rest.find_first_of(" \t\"'=<>`", at), rest.size());
      if (at == value) return false;
    }
  }
  if (!closes && has('/')) ++at;
  if (!has('>')) return false;
  ++at;
  skip(" \t");
  return at == rest.size();
}

}  // namespace

/// A position in a line. A tab goes to the next column that is a multiple of four; a container may
/// take some of its columns and leave the others.
class MarkdownBlocks::Cursor {
 public:
  explicit Cursor(std::string_view line) : line_(line) { look(); }

  std::size_t indent() const { return text_column_ - column_; }
  bool is_code() const { return indent() >= kCode; }
  bool is_blank() const { return text_ == line_.size(); }
  /// The rest of the line after the blanks.
  std::string_view rest() const { return line_.substr(text_); }
  std::size_t line_bytes() const { return line_.size(); }
  std::size_t text_byte() const { return text_; }

  /// Moves over columns of blanks.
  void skip(std::size_t columns) { column_ = std::min(column_ + columns, text_column_); }
  void skip_blanks() { column_ = text_column_; }
  /// Moves over the blanks and this many bytes after them.
  void take(std::size_t bytes) {
    byte_ = text_ + bytes;
    column_ = text_column_ + bytes;
    look();
  }

 private:
  void look() {
    text_column_ = column_;
    for (text_ = byte_; text_ < line_.size() && is_blank_or_tab(line_[text_]); ++text_)
      text_column_ += line_[text_] == '\t' ? kCode - text_column_ % kCode : 1;
  }

  std::string_view line_;
  std::size_t byte_ = 0, column_ = 0;       // where the blanks begin; the column that is reached
  std::size_t text_ = 0, text_column_ = 0;  // after the blanks
};

bool MarkdownBlocks::goes_on(const Container& container, Cursor& at) {
  if (container.columns == 0) {
    if (at.is_code() || !at.rest().starts_with('>')) return false;
    at.take(1);
    at.skip(1);
    return true;
  }
  if (!at.is_blank() && at.indent() < container.columns) return false;
  at.skip(container.columns);
  return !at.is_blank() || !container.is_empty;
}

/// The quotation or item that begins here; the cursor moves past its mark. `interrupts`: a
/// paragraph is open, which only items with text interrupt, and among numbered ones only 1.
std::optional<MarkdownBlocks::Container> MarkdownBlocks::container_at(Cursor& at, bool interrupts) {
  const std::string_view rest = at.rest();
  if (rest[0] == '>') {
    at.take(1);
    at.skip(1);
    return Container{};
  }
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  std::size_t mark = rest[0] == '-' || rest[0] == '+' || rest[0] == '*' ? 1 : 0;
  if (digits > 0 && digits < 10 &&
      (!interrupts || exact_number<int64_t>(rest.substr(0, digits)) == 1) &&
      (rest.substr(digits).starts_with('.') || rest.substr(digits).starts_with(')')))
    mark = digits + 1;
  const std::string_view after = rest.substr(mark);
  if (mark == 0 || (!after.empty() && !is_blank_or_tab(after[0])) ||
      (interrupts && has_only_blanks(after)))
    return std::nullopt;
  const std::size_t before = at.indent();
  at.take(mark);
  // After five columns of blanks there is code, which begins after the first of them.
  const bool has_text = !at.is_blank() && at.indent() <= kCode;
  const std::size_t blanks = has_text ? at.indent() : 1;
  at.skip(blanks);
  return Container{.columns = before + mark + blanks};
}

bool MarkdownBlocks::begins_fence(const Cursor& at) {
  const std::string_view rest = at.rest();
  const std::size_t bytes = std::min(rest.find_first_not_of(rest[0]), rest.size());
  if ((rest[0] != '`' && rest[0] != '~') || bytes < 3 ||
      (rest[0] == '`' && rest.find('`', bytes) != rest.npos))
    return false;
  fence_mark_ = rest[0];
  fence_bytes_ = bytes;
  return true;
}

bool MarkdownBlocks::ends_fence(const Cursor& at) const {
  const std::string_view rest = at.rest();
  const std::size_t bytes = std::min(rest.find_first_not_of(fence_mark_), rest.size());
  return !at.is_code() && bytes >= fence_bytes_ && has_only_blanks(rest.substr(bytes));
}

/// Whether a block of HTML begins here. `may_be_any_tag`: no paragraph is open; tags that are not
/// of blocks cannot end one.
bool MarkdownBlocks::begins_html(const Cursor& at, bool may_be_any_tag) {
  const std::string_view rest = at.rest();
  if (!rest.starts_with('<')) return false;
  html_ends_.clear();
  html_is_text_ = false;
  for (const auto& [begins, ends] : {std::pair("<!--", "-->"), {"<![CDATA[", "]]>"}, {"<?", "?>"}})
    if (rest.starts_with(begins)) html_ends_ = {ends};
  if (html_ends_.empty() && rest.starts_with("<!") && rest.size() > 2 && is_ascii_letter(rest[2]))
    html_ends_ = {">"};
  if (!html_ends_.empty()) return true;
  const std::string name = tag_name(rest);
  const bool closes = rest.starts_with("</");
  const std::string_view after = rest.substr(std::min(rest.size(), name.size() + 1 + closes));
  const bool ends_name = after.empty() || is_blank_or_tab(after[0]) || after[0] == '>';
  html_is_text_ = name != "script" && name != "pre" && name != "style";
  if (!closes && ends_name && (!html_is_text_ || name == "textarea")) {
    html_ends_ = {"</script>", "</pre>", "</style>", "</textarea>"};
    return true;
  }
  html_is_text_ = true;
  return (is_block_of_html(name) && (ends_name || after.starts_with("/>"))) ||
         (may_be_any_tag && !name.empty() && is_tag_alone(rest));
}

/// The result for a line of HTML, in which the HTML may end.
MarkdownBlocks::Line MarkdownBlocks::html_line(const Cursor& at) {
  const std::string lower = ascii_lower(at.rest());
  std::size_t end = lower.npos;
  for (const std::string_view mark : html_ends_)
    if (const std::size_t found = lower.find(mark); found != lower.npos)
      end = std::min(end, found + mark.size());
  if (end == lower.npos) return {!html_is_text_, at.line_bytes()};
  leaf_ = Leaf::none;
  return {!html_is_text_, at.text_byte() + end};
}

void MarkdownBlocks::begin(Leaf leaf) {
  if (!open_.empty()) open_.back().is_empty = false;
  leaf_ = leaf;
}

MarkdownBlocks::Line MarkdownBlocks::next(std::string_view bytes) {
  const Line kept{true, bytes.size()}, text{false, bytes.size()};
  Cursor at(bytes);
  std::size_t matched = 0;
  while (matched < open_.size() && goes_on(open_[matched], at)) ++matched;
  const bool all = matched == open_.size();
  if (all && leaf_ == Leaf::fence) {
    if (ends_fence(at)) leaf_ = Leaf::none;
    return kept;
  }
  if (all && leaf_ == Leaf::html && !(html_ends_.empty() && at.is_blank())) return html_line(at);
  // The line may go on with a paragraph, even without the marks of the containers around it.
  bool may_go_on = leaf_ == Leaf::paragraph && !at.is_blank(), interrupts = may_go_on && all;
  const auto begins = [&](Leaf leaf) {
    open_.resize(matched);
    begin(leaf);
  };
  for (; !at.is_blank(); may_go_on = interrupts = false) {
    const std::string_view rest = at.rest();
    if (at.is_code()) {
      if (may_go_on) return text;
      begins(Leaf::none);
      return kept;
    }
    if (is_marked_heading(rest) || (interrupts && is_underline(rest)) || is_thematic_break(rest)) {
      begins(Leaf::none);
      return text;
    }
    if (begins_fence(at)) {
      begins(Leaf::fence);
      return kept;
    }
    if (begins_html(at, !may_go_on)) {
      begins(Leaf::html);
      return html_line(at);
    }
    const auto container = matched < kMostContainers ? container_at(at, interrupts) : std::nullopt;
    if (!container) {
      if (may_go_on) return text;
      begins(Leaf::paragraph);
      return text;
    }
    begins(Leaf::none);
    open_.push_back(*container);
    ++matched;
  }
  open_.resize(matched);
  leaf_ = Leaf::none;
  return text;
}

}  // namespace heed::document
