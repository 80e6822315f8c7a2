#include "document/markdown_inserts.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/strings.h"
#include "document/lines_of_text.h"
#include "document/markdown_extensions.h"
#include "document/markdown_fences.h"
#include "document/markdown_jsx.h"
#include "document/templates.h"
#include "text/script.h"
#include "text/utf8.h"

namespace heed::document {
namespace {

/// Whether a mark, such as `==`, may stand between these two characters of a line, of which a blank
/// stands in for none: at the beginning of what it marks, or at its end.
bool may_open(char before, char after) {
  return !is_one_of(after, " \t") && (is_one_of(before, " \t") || !is_one_of(before, kOfNames));
}
bool may_close(char before, char after) {
  return may_open(after, before);
}

/// Whether the lines of a text may be of one paragraph: none is blank, a fence or an item.
bool may_be_one_text(std::string_view text) {
  if (!is_one_paragraph(text)) return false;
  for (std::size_t at = 0; (at = text.find('\n', at)) != text.npos;) {
    ++at;
    const std::string_view line = text.substr(at, text.find('\n', at) - at);
    const std::size_t begin = after_run(line, " \t>");
    if (marker_bytes(line) != begin || fence_of(line.substr(begin)).length > 0) return false;
  }
  return true;
}

/// Bytes of inline code whose result stands in its place, `r x` or `{python} x` of R Markdown and
/// Quarto, that begins at `at`, or 0.
std::size_t bytes_of_result(std::string_view text, std::size_t at) {
  const std::string_view near = text.substr(at, kLongestInsert);
  const std::size_t end = near.find('`', 1);
  const bool is_run =
      near.starts_with("`r ") || near.starts_with("`python ") || near.starts_with("`{");
  return is_run && end != near.npos ? end + 1 : 0;
}

/// Whether a formula has no inline code but results.
bool has_no_other_code(std::string_view formula) {
  for (std::size_t at = 0; (at = formula.find('`', at)) != formula.npos;) {
    const std::size_t bytes = bytes_of_result(formula, at);
    if (bytes == 0) return false;
    at += bytes;
  }
  return true;
}

/// Bytes of a formula, $x$ or $$x$$, that begins at `at`, or 0. No blank is inside beside a single
/// $, and no letter or digit outside: "$5 and $6" and "5$ and 6$" are prices, "$HOME/$USER" is
/// none.
std::size_t bytes_of_formula(std::string_view line, std::size_t at) {
  const std::string_view near = line.substr(at, kLongestInsert);
  if (near.starts_with("$$")) {
    const std::size_t end = near.find("$$", 2);
    return end == near.npos ? 0 : end + 2;
  }
  if (near.size() < 3 || is_one_of(near[1], " \t") ||
      text::is_in_word(text::value_before(line, at)))
    return 0;
  for (std::size_t end = 1; (end = near.find_first_of("$`", end)) != near.npos; ++end)
    if (near[end] == '`')
      end += std::max<std::size_t>(bytes_of_result(near, end), 1) - 1;
    else if (!is_one_of(near[end - 1], " \t\\"))
      return end + 1 < near.size() && text::is_in_word(text::code_point_at(near, end + 1).value)
                 ? 0
                 : end + 1;
  return 0;
}

/// Bytes of a formula, \(x^2\) or \[x^2\], with which `rest` begins, or 0. Brackets that are
/// escaped around words are none.
std::size_t bytes_of_enclosed_formula(std::string_view rest) {
  constexpr std::size_t kName = 3;  // letters of one that needs no sign
  if (!rest.starts_with("\\(") && !rest.starts_with("\\[")) return 0;
  const std::size_t end = rest.substr(0, kLongestInsert).find(rest[1] == '(' ? "\\)" : "\\]", 2);
  if (end == rest.npos || end == 2) return 0;
  const std::string_view formula = rest.substr(2, end - 2);
  if (is_one_of('`', formula)) return 0;
  bool is_formula = trim(formula).size() <= kName && formula.find(' ') == formula.npos;
  for (std::size_t i = 0; i < formula.size() && !is_formula; ++i) {
    const bool is_escape = formula[i] == '\\';
    const char next = i + 1 < formula.size() ? formula[i + 1] : ' ';
    is_formula =
        is_one_of(formula[i], "^=") || (is_escape && is_one_of(next, kFirstOfNames)) ||
        (formula[i] == '_' &&
         (next == '{' || (i > 0 && formula[i - 1] != '\\' && formula.find(' ') != formula.npos)));
    i += is_escape ? 1 : 0;
  }
  return is_formula ? end + 2 : 0;
}

/// Bytes of the name of a picture, :rocket:, that begins at `at` after a blank, or 0.
std::size_t bytes_of_emoji(std::string_view line, std::size_t at) {
  const std::string_view rest = line.substr(at + 1);
  const std::size_t end = after_run(rest, "abcdefghijklmnopqrstuvwxyz0123456789_+-");
  const bool is_free = at == 0 || is_one_of(line[at - 1], " \t:*_([>");
  const bool has_letter = rest.substr(0, end).find_first_not_of("-+_:") != rest.npos;
  return is_free && end > 1 && has_letter && rest.substr(end).starts_with(':') ? end + 2 : 0;
}

/// Bytes of what has the mark `mark`, two signs that are the same, on both sides and begins at
/// `at`, or 0: ==text==, ^^text^^, ++ctrl+c++. No third sign stands beside the marks.
std::size_t bytes_of_marked(std::string_view line, std::size_t at, std::string_view mark) {
  const auto is_mark = [&](std::size_t place) {
    return line.substr(place).starts_with(mark) && (place == 0 || line[place - 1] != mark[0]) &&
           !line.substr(place + 2).starts_with(mark[0]);
  };
  const auto beside = [&](std::size_t place) { return place < line.size() ? line[place] : ' '; };
  const std::string_view near = line.substr(0, std::min(line.size(), at + kLongestInsert));
  if (!is_mark(at) || !may_open(at > 0 ? line[at - 1] : ' ', beside(at + 2))) return 0;
  for (std::size_t end = at + 2; (end = near.find(mark, end + 1)) != near.npos;)
    if (is_mark(end) && may_close(line[end - 1], beside(end + 2))) return end + 2 - at;
  return 0;
}

/// Bytes of keys, ++ctrl+alt+del++, that begin at `at`, or 0: they have no blanks but in quotes.
std::size_t bytes_of_keys(std::string_view line, std::size_t at) {
  const std::size_t bytes = bytes_of_marked(line, at, "++");
  bool in_quotes = false;
  for (const char c : line.substr(at, bytes)) {
    in_quotes = in_quotes != (c == '"');
    if (c == '`' || (!in_quotes && is_one_of(c, " \t"))) return 0;
  }
  return bytes;
}

/// Bytes of a link to a page by its name, [[name]] or [[name|text]], that begins at `at`, or 0.
std::size_t bytes_of_wiki_link(std::string_view line, std::size_t at) {
  if (at >= line.size() || !line.substr(at).starts_with("[[")) return 0;
  const std::size_t end = line.substr(0, at + kLongestInsert).find_first_of("]`", at + 2);
  if (end == line.npos || end == at + 2 || !line.substr(end).starts_with("]]")) return 0;
  const std::string_view name = line.substr(at + 2, end - at - 2);
  if (is_one_of('[', name) || is_one_of(name.front(), " \t") || is_one_of(name.back(), " \t"))
    return 0;
  return end + 2 < line.size() && is_one_of(line[end + 2], "([]") ? 0 : end + 2 - at;
}

/// Bytes of the inline code that begins at `at` and ends in `text`, or 0.
std::size_t bytes_of_code(std::string_view text, std::size_t at) {
  const std::size_t begin = after_run(text, "`", at);
  for (std::size_t end = begin; begin > at && (end = text.find('`', end)) != text.npos;) {
    const std::size_t after = after_run(text, "`", end);
    if (after - end == begin - at) return after - at;
    end = after;
  }
  return 0;
}

/// Bytes of a role with its code, {ref}`name` or :py:class:`name`, that begins at `at`, or 0. The
/// code may go on in the next lines of its paragraph. `follows_insert`: another role may end there.
std::size_t bytes_of_role(std::string_view text, std::size_t at, bool follows_insert) {
  constexpr std::string_view kOfRoles =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.+:";
  const std::string_view near = text.substr(at, kLongestInsert);
  const bool has_braces = near.starts_with('{');
  const char before = at > 0 && !follows_insert ? text[at - 1] : ' ';
  if (before == '`' || (!has_braces && (before == ':' || is_one_of(before, kOfNames)))) return 0;
  std::size_t end = after_run(near, kOfRoles, 1);
  if (end == 1 || end >= near.size()) return 0;
  if (has_braces ? near[end++] != '}' : near[end - 1] != ':' || end == 2) return 0;
  const std::size_t code = bytes_of_code(near, end);
  return code > 0 && may_be_one_text(near.substr(0, end + code)) ? end + code : 0;
}

/// Bytes of a note in the text, ^[text], that begins at `at`, or 0. It may go on as a role may.
std::size_t bytes_of_note(std::string_view text, std::size_t at) {
  const std::string_view near = text.substr(at, kLongestInsert);
  if (!near.starts_with("^[")) return 0;
  std::size_t depth = 0;
  for (std::size_t end = 1; end < near.size(); ++end) {
    if (near[end] == '\\')
      ++end;
    else if (near[end] == '[')
      ++depth;
    else if (near[end] == ']' && --depth == 0)
      return end > 2 && may_be_one_text(near.substr(0, end)) ? end + 1 : 0;
  }
  return 0;
}

/// Bytes of a reference to literature, [@name], [@name, p. 3] or [-@name], that begins at `at`, or
/// 0.
std::size_t bytes_of_citation(std::string_view line, std::size_t at) {
  const std::string_view rest = line.substr(at, kLongestInsert);
  if (!rest.starts_with("[@") && !rest.starts_with("[-@")) return 0;
  const std::size_t end = rest.find_first_of("]`", 2);
  if (end == rest.npos || rest[end] == '`' || is_one_of('[', rest.substr(1, end))) return 0;
  const bool begins_line = after_run(line, " \t>") == at;
  const char after = end + 1 < rest.size() ? rest[end + 1] : ' ';
  return is_one_of(after, "([") || (after == ':' && begins_line) ? 0 : end + 1;
}

/// Bytes of a name after @ that begins at `at`, or 0: @user, @group/project, @fig-plot of Quarto. A
/// reference to a link, `[@user]`, is none.
std::size_t bytes_of_mention(std::string_view line, std::size_t at) {
  constexpr std::string_view kOfMentions =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:";
  const char before = at > 0 ? line[at - 1] : ' ';
  if (line[at] != '@' || !is_one_of(before, " \t([*_>\"'")) return 0;
  std::size_t end = after_run(line, kOfMentions, at + 1);
  while (end > at + 1 && is_one_of(line[end - 1], "-./:")) --end;
  if (end == at + 1 || is_one_of(line[at + 1], "-./:")) return 0;
  return before != '[' || line.substr(end).starts_with("](") ? end - at : 0;
}

/// Bytes of a tag of Obsidian, #daily or #work/project, or of a number of GitHub or GitLab, #12 or
/// !12, that begins at `at` after a blank or a parenthesis, or 0.
std::size_t bytes_of_hashtag(std::string_view line, std::size_t at) {
  if (!is_one_of(line[at], "#!") || at == 0 || !is_one_of(line[at - 1], " \t(")) return 0;
  const std::string_view rest = line.substr(at + 1);
  const std::size_t digits = after_run(rest, "0123456789");
  const bool is_tag = line[at] == '#' && !rest.empty() && is_one_of(rest[0], kFirstOfNames);
  const std::size_t bytes = is_tag ? after_run(rest, std::string(kOfPlainNames) + "/") : digits;
  const bool ends_there =
      bytes == rest.size() || !text::is_in_word(text::code_point_at(rest, bytes).value);
  return bytes > 0 && ends_there ? bytes + 1 : 0;
}

/// Bytes of the hash of a commit that begins at `at`, or 0: 7 to 40 digits of base 16, not all of
/// them digits of base 10 or letters.
std::size_t bytes_of_commit(std::string_view line, std::size_t at) {
  constexpr std::size_t kLeast = 7, kMost = 40;
  constexpr std::string_view kDigits = "0123456789", kOfBase16 = "abcdef";
  if (at > 0 && (is_one_of(line[at - 1], kOfNames) || is_one_of(line[at - 1], "/.:#&=@%+") ||
                 text::is_in_word(text::value_before(line, at))))
    return 0;
  const std::string_view rest = line.substr(at);
  const std::size_t bytes = after_run(rest, "0123456789abcdef");
  if (bytes < kLeast || bytes > kMost) return 0;
  if (bytes < rest.size() && (is_one_of(rest[bytes], "-_/:=@%+") ||
                              text::is_in_word(text::code_point_at(rest, bytes).value)))
    return 0;
  const std::string_view hash = rest.substr(0, bytes);
  return after_run(hash, kDigits) < bytes && after_run(hash, kOfBase16) < bytes ? bytes : 0;
}

/// Bytes of what changes of CriticMarkup or GitLab leave out, {--a--}, {~~a~>b~~}, {>>a<<}, {-a-},
/// or of the mark before a text that they add or show, {++, {==, {+; 0 where neither begins at
/// `at`.
std::size_t bytes_of_change(std::string_view line, std::size_t at) {
  struct Change {
    std::string_view begin, end;
    bool is_text;  // between them
  };
  constexpr Change kChanges[] = {
      {"{--", "--}", false}, {"{~~", "~~}", false}, {"{>>", "<<}", false}, {"{++", "++}", true},
      {"{==", "==}", true},  {"{-", "-}", false},   {"{+", "+}", true}};
  const std::string_view near = line.substr(at, kLongestInsert);
  for (const Change& one : kChanges) {
    if (!near.starts_with(one.begin)) continue;
    const std::size_t end = near.find(one.end, one.begin.size());
    if (end == near.npos || is_one_of('`', near.substr(0, end))) return 0;
    return one.is_text ? one.begin.size() : end + one.end.size();
  }
  return 0;
}

/// Bytes of the mark after such a text, ++}, ==} or +}, that begins at `at`, or 0.
std::size_t bytes_of_end_of_change(std::string_view line, std::size_t at) {
  const std::string_view rest = line.substr(at);
  for (const std::string_view mark : {"++}", "==}", "+}"}) {
    if (!rest.starts_with(mark)) continue;
    const std::string begin = "{" + std::string(mark.substr(0, mark.size() - 1));
    const std::size_t first = at - std::min(at, kLongestInsert - 1);
    const std::size_t found = line.substr(first, at - first).rfind(begin);
    return found != line.npos && bytes_of_change(line, first + found) > 0 ? mark.size() : 0;
  }
  return 0;
}

/// A word with parts below or above the line, H~2~O or x^2^, whose first such part begins at `at`;
/// empty where none does.
ByteRange word_with_scripts(std::string_view line, std::size_t at) {
  constexpr std::size_t kLongestScript = 20;
  const auto bytes_of_script = [&](std::size_t from) -> std::size_t {
    const std::string_view near = line.substr(from, kLongestScript);
    if (near.size() < 3 || !is_one_of(near[0], "~^")) return 0;
    const std::size_t end = near.find_first_of("~^ \t`[]*\\", 1);
    if (end == near.npos || end == 1 || near[end] != near[0]) return 0;
    const std::string_view after = line.substr(from + end + 1);
    return after.starts_with(near[0]) ? 0 : end + 1;
  };
  std::size_t from = at;
  while (from > 0 && is_one_of(line[from - 1], kOfWords)) --from;
  std::size_t to = at;
  while (from < at && to < line.size()) {
    const std::size_t bytes = bytes_of_script(to);
    if (bytes == 0 && (to == at || !is_one_of(line[to], kOfWords))) break;
    to += std::max<std::size_t>(bytes, 1);
  }
  return to > at ? ByteRange{from, to} : ByteRange{};
}

/// Bytes of a comment of Obsidian, %%text%%, that begins at `at`, or 0.
std::size_t bytes_of_comment(std::string_view line, std::size_t at) {
  const std::string_view near = line.substr(at, kLongestInsert);
  if (!near.starts_with("%%") || near.substr(2).starts_with('%')) return 0;
  const std::size_t end = near.find("%%", 2);
  return end == near.npos || end == 2 || is_one_of('`', near.substr(0, end)) ? 0 : end + 2;
}

/// Bytes of the name of a block of Obsidian, ^name, that begins at `at` and ends the line, or 0.
std::size_t bytes_of_block_name(std::string_view line, std::size_t at) {
  const std::string_view rest = trim(line.substr(at));
  if (rest.size() < 2 || rest[0] != '^' || (at > 0 && !is_one_of(line[at - 1], " \t"))) return 0;
  return after_run(rest, kOfNames.substr(0, 63), 1) == rest.size() ? rest.size() : 0;
}

/// The byte of the bracket that opens `[text]` before the attributes at `at`, as Pandoc has them,
/// `[text]{.class}`; npos where they are not of such a text.
std::size_t begin_of_span(std::string_view line, std::size_t at) {
  if (at < 2 || line[at - 1] != ']') return std::string_view::npos;
  std::size_t depth = 0;
  const std::size_t first = at - std::min(at, kLongestInsert);
  for (std::size_t begin = at; begin-- > first;) {
    if (begin > 0 && line[begin - 1] == '\\') continue;
    if (line[begin] == '`' || line[begin] == '(') return std::string_view::npos;
    if (line[begin] == ']') ++depth;
    if (line[begin] == '[' && --depth == 0)
      return begin + 2 < at && (begin == 0 || !is_one_of(line[begin - 1], "]!^")) &&
                     !is_one_of(line[begin + 1], "^@[")
                 ? begin
                 : std::string_view::npos;
  }
  return std::string_view::npos;
}

/// Whether a sentence may have ended with this text.
bool follows_sentence(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t");
  return last != text.npos && is_one_of(text[last], ".!?");
}

/// Whether an item begins with a mark of Obsidian's tasks, as `[>] `, that GitHub's have not.
bool is_mark_of_task(std::string_view text) {
  return text.size() > 3 && text[0] == '[' && is_one_of(text[1], "<>-/!?*~+") && text[2] == ']' &&
         text[3] == ' ';
}

/// Bytes of a label or a milestone of GitLab, ~bug, ~"two words", %v1.2 or %"two words", that
/// begins at `at` after a blank or a parenthesis, or 0.
std::size_t bytes_of_label_of_gitlab(std::string_view line, std::size_t at) {
  if (at > 0 && !is_one_of(line[at - 1], " \t(")) return 0;
  const std::string_view rest = line.substr(at + 1, kLongestInsert);
  if (rest.empty()) return 0;
  if (rest[0] == '"') {
    const std::size_t end = rest.find('"', 1);
    return end == rest.npos || end == 1 || is_one_of('`', rest.substr(0, end)) ? 0 : end + 2;
  }
  if (!is_one_of(rest[0], kFirstOfNames)) return 0;
  std::size_t end = after_run(rest, std::string(kOfPlainNames) + ".:");
  while (is_one_of(rest[end - 1], ".:")) --end;
  const bool ends_there =
      end == rest.size() || !text::is_in_word(text::code_point_at(rest, end).value);
  return ends_there && !rest.substr(end).starts_with(line[at]) ? end + 1 : 0;
}

/// Bytes of a command of TeX with what it is for, \index{a}, \textbf{a} or \newpage, that begins
/// at `at`, or 0.
std::size_t bytes_of_tex(std::string_view line, std::size_t at) {
  const char before = at > 0 ? line[at - 1] : ' ';
  const std::string_view near = line.substr(at, kLongestInsert);
  std::size_t end = after_run(near, kFirstOfNames, 1);
  if (end < 3 || before == '\\' || before == ':') return 0;
  bool has_braces = false;
  while (end < near.size() && is_one_of(near[end], "{[")) {
    std::size_t depth = 0, close = end;
    for (; close < near.size(); ++close) {
      if (is_one_of(near[close], "{[")) ++depth;
      if (is_one_of(near[close], "}]") && --depth == 0) break;
    }
    if (close == near.size() || is_one_of('`', near.substr(end, close - end))) break;
    has_braces |= near[end] == '{';
    end = close + 1;
  }
  // A word after a backslash may be a part of a path.
  const bool ends_there = end == near.size() || is_one_of(near[end], " \t.,;:!?)");
  return has_braces || (ends_there && !text::is_in_word(text::value_before(line, at))) ? end : 0;
}

/// The marks around the text that begins at `from`, which are those of GitHub's `~~`.
std::optional<Insert> marks_at(const InsertLine& in, std::size_t from, std::string_view mark) {
  if (in.start + from < in.covered) return {};
  const std::size_t bytes = bytes_of_marked(in.line, from, mark);
  const bool is_beside_strike =
      (from > 0 && in.line[from - 1] == '~') || in.line.substr(from + bytes).starts_with('~');
  if (bytes == 0 || is_beside_strike) return {};
  return Insert{.kind = Insert::InsertKind::marks, .bytes = {from, from + bytes}, .has_text = true};
}

/// What begins with a brace, or a template with `<%`.
std::optional<Insert> brace_at(std::string_view document, const InsertLine& in, std::size_t from) {
  const std::string_view line = in.line, rest = line.substr(from);
  const std::size_t at = in.start + from;
  Insert insert{.kind = Insert::InsertKind::item, .bytes = {from, from}};
  const auto is_found = [&](std::size_t bytes) {
    insert.bytes.to = from + bytes;
    return bytes > 0;
  };
  if (is_found(bytes_of_jsx_comment(document, at))) {
    insert.letter = CommonMarkdown::kNote;
    insert.is_structure = true;
    return insert;
  }
  if (line[from] == '{' &&
      (is_found(bytes_of_change(line, from)) || is_found(bytes_of_jsx_value(line, from)) ||
       is_found(bytes_of_role(document, at, at == in.covered)))) {
    insert.has_text = true;
    return insert;
  }
  if (line[from] == '<' && !rest.starts_with("<%")) {
    if (!is_found(jsx_tag_at(document, at).bytes)) return {};
    insert.kind = Insert::InsertKind::tag;
    return insert;
  }
  if (is_found(bytes_of_template(document, at))) {
    const bool is_of_statement = is_statement(rest.substr(0, insert.bytes.to - from));
    insert.is_structure = is_of_statement || rest.starts_with("{{%");
    if (line[from] == '<' && is_of_statement) insert.letter = CommonMarkdown::kNote;
    return insert;
  }
  if (line[from] == '<' || !is_found(bytes_of_attributes(line, from))) return {};
  insert.is_structure = from == in.first;
  // A parser of CommonMark reads a link, and its text is in the sentence.
  if (begin_of_span(line, from) != line.npos) insert.kind = Insert::InsertKind::target;
  return insert;
}

/// What begins with a bracket.
std::optional<Insert> bracket_at(const InsertLine& in, std::size_t from) {
  const std::string_view line = in.line, rest = line.substr(from);
  Insert insert{.kind = Insert::InsertKind::item, .bytes = {from, from}};
  std::size_t bytes = 0;
  if (from == in.first && is_mark_of_task(rest)) {
    bytes = 3;
  } else if (rest.starts_with("[^")) {
    insert.letter = CommonMarkdown::kNote;
    const std::size_t end = line.find_first_of("] \t`", from + 2);
    bytes = end != line.npos && line[end] == ']' && end > from + 2 ? end + 1 - from : 0;
  } else if ((bytes = bytes_of_wiki_link(line, from)) == 0 &&
             (bytes = bytes_of_citation(line, from)) > 0 &&
             follows_sentence(line.substr(0, from))) {
    insert.letter = CommonMarkdown::kNote;
  }
  insert.bytes.to = from + bytes;
  return bytes > 0 ? std::optional(insert) : std::nullopt;
}

}  // namespace

std::size_t bytes_of_attributes(std::string_view line, std::size_t at) {
  const std::size_t end = line.find('}', at);
  if (end == line.npos) return 0;
  const std::string_view inside = trim(line.substr(at + 1, end - at - 1));
  const bool is_after_link = at > 0 && is_one_of(line[at - 1], ")]");
  const bool is_free = at == 0 || is_after_link || is_one_of(line[at - 1], " \t`*:\"");
  if (inside.empty() || !is_free || is_one_of('{', inside)) return 0;
  // Pandoc's `{-}` is a heading without a number.
  const bool is_unnumbered =
      inside[0] == '-' && (inside.size() == 1 || is_one_of(inside[1], "#. "));
  const bool has_mark =
      (is_one_of(inside[0], "#.:") && inside.size() > 1 && inside[1] != '}') || is_unnumbered;
  return has_mark || (is_after_link && is_one_of('=', inside)) ? end + 1 - at : 0;
}

Insert insert_at(std::string_view document, const InsertLine& in, std::size_t from) {
  using enum Insert::InsertKind;
  const std::string_view line = in.line, rest = line.substr(from);
  const std::size_t at = in.start + from;  // of the document
  Insert insert{.kind = item, .bytes = {from, from}};
  const auto is_found = [&](std::size_t bytes) {
    insert.bytes.to = from + bytes;
    return bytes > 0;
  };
  const auto none = [&](std::size_t bytes = 1) {
    insert.bytes.to = std::min(from + bytes, line.size());
    insert.kind = text;
    insert.has_text = !is_one_of(line[from], " \t");
    return insert;
  };
  switch (line[from]) {
    case '\\':
      // 0: the parenthesis does not close
      if (rest.starts_with("\\@ref(") && is_found(rest.find(')') + 1)) return insert;
      if (is_found(bytes_of_enclosed_formula(rest))) return insert;
      if (!is_found(bytes_of_tex(line, from))) return none(2);
      // What follows a word directly, or is for nothing, is no word of its sentence: \\index{a}.
      if (text::is_in_word(text::value_before(line, from)) || line[insert.bytes.to - 1] != '}')
        insert.letter = CommonMarkdown::kNote;
      return insert;
    case '`': {
      const std::size_t code = bytes_of_code(line, from);
      return none(code > 0 ? code : after_run(rest, "`"));
    }
    case '^':
    case '~':
      if (is_found(bytes_of_note(document, at)) || is_found(bytes_of_block_name(line, from))) {
        insert.letter = CommonMarkdown::kNote;
        return insert;
      }
      if (const ByteRange word = word_with_scripts(line, from);
          !word.is_empty() && in.start + word.from >= in.covered) {
        insert.bytes = word;
        return insert;
      }
      if (line[from] == '~')
        return is_found(bytes_of_label_of_gitlab(line, from)) ? insert : none();
      return marks_at(in, from, "^^").value_or(none());
    case '=':
      if (is_found(bytes_of_end_of_change(line, from))) return insert;
      return marks_at(in, from, "==").value_or(none());
    case '+':
      return is_found(bytes_of_end_of_change(line, from)) || is_found(bytes_of_keys(line, from))
                 ? insert
                 : none();
    case '%':
      return is_found(bytes_of_comment(line, from)) ||
                     is_found(bytes_of_label_of_gitlab(line, from))
                 ? insert
                 : none();
    case '@':
      return is_found(bytes_of_mention(line, from)) ? insert : none();
    case '#':
      return is_found(bytes_of_hashtag(line, from)) ? insert : none();
    case '!':  // a page or a picture that stands in its place
      if (const std::size_t link = bytes_of_wiki_link(line, from + 1); link > 0)
        return is_found(link + 1), insert;
      return is_found(bytes_of_hashtag(line, from)) ? insert : none();
    case '{':
    case '<':
      return brace_at(document, in, from).value_or(none());
    case '$':
      return is_found(bytes_of_formula(line, from)) &&
                     has_no_other_code(line.substr(from, insert.bytes.to - from))
                 ? insert
                 : none();
    case ':':
      insert.has_text = is_found(bytes_of_role(document, at, at == in.covered));
      if (!insert.has_text && !is_found(bytes_of_emoji(line, from))) return none();
      if (insert.bytes.to < line.size() && line[insert.bytes.to] == '{')
        insert.bytes.to += bytes_of_attributes(line, insert.bytes.to);
      return insert;
    case '[':
      return bracket_at(in, from).value_or(none());
    default:
      return is_one_of(line[from], "0123456789abcdef") && is_found(bytes_of_commit(line, from))
                 ? insert
                 : none();
  }
}

}  // namespace heed::document
