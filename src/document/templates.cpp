#include "document/templates.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/strings.h"

namespace heed::document {
namespace {

constexpr std::size_t kLongestTag = 4000;  // bytes in which the end of a tag is looked for
constexpr std::string_view kLineBlanks = " \t";
constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

struct Marks {
  std::string_view begin, end;
};
constexpr std::array<Marks, 4> kMarks = {{{"{{", "}}"}, {"{%", "%}"}, {"{#", "#}"}, {"<%", "%>"}}};
// AngularJS has the first two on pages that Django or Flask make, Blade the last.
constexpr std::array<Marks, 3> kOtherMarks = {{{"{$ ", "$}"}, {"{[ ", "]}"}, {"{!!", "!!}"}}};
constexpr std::string_view kEndOfComment = "--}}";  // of Handlebars, which may have tags in it

}  // namespace

bool is_one_paragraph(std::string_view text) {
  int ends = 0;  // of lines, since the last character
  for (const char c : text) {
    if (c == '\n' && ++ends > 1) return false;
    if (!is_one_of(c, " \t\r\n>")) ends = 0;
  }
  return true;
}

namespace {

/// The marks of the tag that begins with these bytes; null: none does.
const Marks* marks_of(std::string_view text) {
  const auto* const marks =
      std::ranges::find(kMarks, text.substr(0, 2), [](const Marks& one) { return one.begin; });
  return marks == kMarks.end() ? nullptr : marks;
}

/// Whether an end tag of HTML is in the text, outside of quotes: a brace before it was no tag of a
/// template.
bool has_end_tag(std::string_view text) {
  for (std::size_t at = 0; (at = text.find_first_of("\"'`<", at)) != text.npos; ++at) {
    if (text.substr(at).starts_with("</")) return true;
    if (text[at] == '<') continue;
    if (const std::size_t end = text.find(text[at], at + 1); end != text.npos) at = end;
  }
  return false;
}

/// The byte after the tag whose end mark begins at `end`.
std::size_t after_template(std::string_view text, std::size_t at, std::size_t end) {
  const bool is_triple = text.substr(at).starts_with("{{{") && text.substr(end).starts_with("}}}");
  return end + 2 + (is_triple ? 1 : 0);
}

}  // namespace

std::size_t bytes_of_template(std::string_view text, std::size_t at) {
  const std::string_view near = text.substr(at, kLongestTag);
  const Marks* const marks = marks_of(near);
  if (near.starts_with("{{!--"))
    if (const std::size_t end = near.find(kEndOfComment); end != near.npos)
      return end + kEndOfComment.size();
  const std::size_t end = marks == nullptr ? near.npos : near.find(marks->end, 2);
  if (end == near.npos) return 0;
  const std::string_view inside = near.substr(2, end - 2);
  // Hugo's tags begin so: {{</tab>}}, and {{</* tab */>}}, which shows one.
  const bool is_of_hugo = inside.starts_with('<');
  if (is_one_of('`', inside) || has_end_tag(inside.substr(is_of_hugo ? 1 : 0)) ||
      !is_one_paragraph(inside))
    return 0;
  return after_template(near, 0, end);
}

std::size_t bytes_of_template_block(std::string_view text, std::size_t at) {
  std::size_t bytes = bytes_of_template(text, at);
  if (bytes == 0 && text.substr(at).starts_with("{#")) {
    const std::size_t end = text.substr(at, kLongestTag).find("#}");
    bytes = end == text.npos ? 0 : end + 2;
  }
  const std::size_t after = bytes == 0 ? text.size() : after_run(text, kLineBlanks, at + bytes);
  return bytes > 0 && (after == text.size() || is_one_of(text[after], "\r\n")) ? bytes : 0;
}

bool is_line_of_statements(std::string_view line) {
  std::size_t at = after_run(line, kLineBlanks);
  if (at == line.size()) return false;
  while (at < line.size()) {
    const std::size_t bytes = bytes_of_template(line, at);
    if (bytes == 0 || !is_statement(line.substr(at, bytes))) return false;
    at = after_run(line, kLineBlanks, at + bytes);
  }
  return true;
}

char mask_of_statement(std::string_view text, std::size_t at) {
  return at == 0 || is_one_of(text[at - 1], " \t\n\f\r") ? Token::kOpens : Token::kCloses;
}

std::vector<Token> template_tokens(std::string_view text) {
  std::vector<Token> out;
  for (std::size_t at = 0; (at = text.find_first_of("{<", at)) != text.npos;) {
    const std::size_t bytes = bytes_of_template(text, at);
    if (bytes > 0)
      out.push_back({.from = at,
                     .to = at + bytes,
                     .syntax = Token::Syntax::whole,
                     .mask = is_statement(text.substr(at, bytes)) ? mask_of_statement(text, at)
                                                                  : Token::kWord});
    at += std::max<std::size_t>(bytes, 1);
  }
  return out;
}

bool is_statement(std::string_view tag) {
  if (std::ranges::any_of(kOtherMarks,
                          [&](const Marks& marks) { return tag.starts_with(marks.begin); }))
    return false;
  if (tag.starts_with('@')) {
    static const std::set<std::string_view> names{"choice", "json", "lang"};  // of Blade
    return !names.contains(tag.substr(1, after_run(tag, kLetters, 1) - 1));
  }
  if (tag.starts_with("<?")) return !tag.starts_with("<?=") && !tag.starts_with("<?php echo");
  if (tag.starts_with("<%")) return tag.size() < 3 || !is_one_of(tag[2], "=-");
  if (tag.starts_with("{{")) {
    static const std::set<std::string_view> names{"else", "end", "if", "range", "with"};  // of Go
    const std::string_view inside = trim(tag.substr(2 + after_run(tag.substr(2), "-~")));
    return tag.size() > 2 && (is_one_of(tag[2], "<%#/!^>") || inside.starts_with("/*") ||
                              names.contains(inside.substr(0, inside.find_first_of(" \t-~}"))));
  }
  if (tag.starts_with("[%")) {
    static const std::set<std::string_view> names{"BLOCK",  "CASE",    "ELSE", "ELSIF", "END",
                                                  "FOR",    "FOREACH", "IF",   "SET",   "SWITCH",
                                                  "UNLESS", "USE",     "WHILE"};
    const std::string_view inside = trim(tag.substr(after_run(tag, "-+~ \t\r\n", 2)));
    return inside.starts_with('#') ||
           names.contains(inside.substr(0, inside.find_first_of(" \t%")));
  }
  if (tag.starts_with("{%")) {
    // In Django's templates these write a text into the page.
    static const std::set<std::string_view> names{
        "_", "cycle", "firstof", "now", "static", "trans", "translate", "url", "widthratio"};
    const std::string_view inside = tag.substr(after_run(tag, "-+~ \t\r\n", 2));
    return !names.contains(inside.substr(0, inside.find_first_of(" \t\r\n%")));
  }
  return !tag.starts_with('$') && !tag.starts_with("#{") && !tag.starts_with("%%");
}

bool keeps_content(std::string_view name) {
  static const std::set<std::string_view> names{
      "code",       "code-toggle", "codeblock", "comment", "doc",   "highlight",
      "javascript", "math",        "mermaid",   "schema",  "style", "stylesheet"};
  return names.contains(name);
}

namespace {

/// Whether a page is a template of Mako, whose lines may be statements.
bool is_of_mako(std::string_view page) {
  return std::ranges::any_of(std::array{"</%", "<%inherit ", "<%namespace ", "<%page ", "<%!"},
                             [&](std::string_view mark) { return page.find(mark) != page.npos; });
}

/// Finds the tags of a page.
class TemplateFinder {
 public:
  explicit TemplateFinder(std::string_view page) : page_(page), is_mako_(is_of_mako(page)) {}

  std::vector<TemplateTag> find() && {
    for (std::size_t at = 0; (at = page_.find_first_of("{}<$#@[%", at)) != page_.npos;) {
      const std::size_t bytes = bytes_at(at);
      if (bytes > 0) tags_.push_back({{at, at + bytes}, is_statement(page_.substr(at, bytes))});
      at += std::max<std::size_t>(bytes, 1);
    }
    find_lines();
    return std::move(tags_);
  }

 private:
  std::size_t bytes_at(std::size_t at) {
    const std::string_view rest = page_.substr(at);
    switch (page_[at]) {
      case '$':
        return bytes_of_value(at);
      case '#':
        return is_mako_ && begins_line(at) && rest.starts_with("##") ? bytes_of_line(at)
                                                                     : bytes_of_value(at);
      case '@':
        return bytes_of_control(at);
      case '[':
        return bytes_of_field(at);
      case '%':
        return is_mako_ && begins_line(at) && !rest.starts_with("%%") ? bytes_of_line(at)
                                                                      : bytes_of_field(at);
      case '}':
        return bytes_of_end();
      case '<':
        if (rest.starts_with("<?php") || rest.starts_with("<?=")) {
          const std::size_t end = next("?>", at);
          return (end == page_.npos ? page_.size() : end + 2) - at;
        }
        if (const std::size_t bytes = bytes_of_mako(at); bytes > 0) return bytes;
        if (!rest.starts_with("<%")) return 0;
        if (const std::size_t end = next("%>", at); end != page_.npos) return end + 2 - at;
        return 0;
      default:
        break;
    }
    const std::size_t bytes = bytes_of_tag(at);
    if (bytes == 0) {
      if (!open_.empty()) open_.push_back(false);
      return 0;
    }
    return rest.starts_with("{%") ? with_content(at, bytes) : bytes;
  }

  /// Bytes of a comment of Go, `{{/* x */}}` or `{{- /* x */ -}}`, which may have tags in it.
  std::size_t bytes_of_go_comment(std::size_t at) {
    const std::string_view rest = page_.substr(at);
    if (!rest.starts_with("{{/*") && !rest.starts_with("{{- /*")) return 0;
    const std::size_t end = next("*/", at);
    if (end == page_.npos) return 0;
    const std::size_t last = after_run(page_, " -", end + 2);
    return page_.substr(last).starts_with("}}") ? last + 2 - at : 0;
  }

  /// Bytes of a tag with marks of kMarks. A page has it in any number of lines.
  std::size_t bytes_of_tag(std::size_t at) {
    const Marks* marks = marks_of(page_.substr(at));
    for (const Marks& other : kOtherMarks)
      if (page_.substr(at).starts_with(other.begin)) marks = &other;
    if (page_.substr(at).starts_with("{{!--"))
      if (const std::size_t end = next(std::string(kEndOfComment), at); end != page_.npos)
        return end + kEndOfComment.size() - at;
    if (const std::size_t bytes = bytes_of_go_comment(at); bytes > 0) return bytes;
    const std::size_t end = marks == nullptr ? page_.npos : next(std::string(marks->end), at + 2);
    constexpr std::size_t kLongest = 1 << 16;
    if (end == page_.npos || end - at > kLongest) return 0;
    const bool is_comment = page_[at + 1] == '#' || page_.substr(at).starts_with("{{!");
    if (!is_comment && has_end_tag(page_.substr(at + 2, end - at - 2))) return 0;
    return (marks->end == "}}" ? after_template(page_, at, end) : end + marks->end.size()) - at;
  }

  /// The next place, at or after `at`, of the end of a tag.
  std::size_t next(const std::string& end, std::size_t at) {
    const auto [place, is_new] = next_.try_emplace(end, 0);
    std::size_t& found = place->second;
    if (is_new || (found != page_.npos && found < at)) found = page_.find(end, at);
    return found;
  }

  /// The bytes of `{% name %}` with those up to `{% endname %}`, where they stay.
  std::size_t with_content(std::size_t at, std::size_t bytes) {
    const std::string_view inside = page_.substr(at, bytes);
    const std::size_t begin = after_run(inside, "- \t\n", 2);
    const std::string_view name = inside.substr(begin, after_run(inside, kLetters, begin) - begin);
    if (!keeps_content(name)) return bytes;
    const std::string end = "end" + std::string(name);
    for (std::size_t found = next(end, at); found != page_.npos; found = next(end, found + 1))
      if (found > at + bytes && page_.substr(found, kLongestTag).find("%}") != page_.npos &&
          is_one_of(page_[found - 1], "% -"))
        return page_.find("%}", found) + 2 - at;
    return bytes;
  }

  /// Bytes of `[% name %]` of Template Toolkit, or of a field of a letter, `%%NAME%%`.
  std::size_t bytes_of_field(std::size_t at) {
    const std::string_view near = page_.substr(at, kLongestTag);
    if (near.starts_with("[%")) {
      const std::size_t end = next("%]", at + 2);
      return end != page_.npos && end + 2 - at <= kLongestTag ? end + 2 - at : 0;
    }
    const std::size_t end = after_run(near, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", 2);
    return near.starts_with("%%") && end > 2 && near.substr(end).starts_with("%%") ? end + 2 : 0;
  }

  /// Bytes of `${name}` or `#{name}`.
  std::size_t bytes_of_value(std::size_t at) const {
    constexpr std::size_t kLongest = 200;
    const std::string_view near = page_.substr(at, kLongest);
    if (near.size() < 4 || near[1] != '{') return 0;
    const std::size_t end = near.find_first_of("{}<>\r\n", 2);
    return end != near.npos && near[end] == '}' && end > 2 ? end + 1 : 0;
  }

  /// Bytes of `@if (x) {`, which goes on to its `}`, or of a directive of Blade: `@if (x)`,
  /// `@lang("x")`, `@csrf`; `@else` and `@endif` after one with a bracket, or at the beginning of a
  /// line.
  std::size_t bytes_of_control(std::size_t at) {
    static const std::set<std::string_view> names{
        "auth",    "case",   "catch",   "default", "defer",   "else",        "elseif",
        "empty",   "error",  "extends", "finally", "for",     "foreach",     "forelse",
        "guest",   "if",     "include", "isset",   "loading", "placeholder", "push",
        "section", "switch", "try",     "unless",  "using",   "while",       "yield"};
    if (at > 0 && !is_one_of(page_[at - 1], " \t\r\n>}")) return 0;
    const std::string_view near = page_.substr(at, kLongestTag);
    std::size_t end = after_run(near, kLetters, 1);
    const std::string_view name = near.substr(1, end - 1);
    const bool is_first = begins_line(at);
    if (name == "let" && is_first) {
      const std::size_t last = near.find_first_of(";\n", end);
      return last != near.npos && near[last] == ';' ? last + 1 : 0;
    }
    const bool is_call = end > 1 && near.substr(end).starts_with('(');
    if (!names.contains(name) && !name.starts_with("end") && !is_call)
      return name == "csrf" && (end == near.size() || is_one_of(near[end], " \t\r\n<")) ? end : 0;
    if (name == "else" && near.substr(end).starts_with(" if")) end += 3;
    const std::size_t bracket = after_run(near, " \t", end);
    if (near.substr(bracket).starts_with('(')) {
      const std::size_t after = after_bracket(near, bracket);
      if (after == 0) return 0;
      end = after;
    }
    const std::size_t brace = after_run(near, " \t\r\n", end);
    if (near.substr(brace).starts_with('{') && !near.substr(brace).starts_with("{{")) {
      open_.push_back(true);
      return brace + 1;
    }
    const std::size_t after = after_run(near, kLineBlanks, end);
    const bool has_line = after == near.size() || is_one_of(near[after], "\r\n");
    if (near[end - 1] == ')') {
      has_directive_ = true;
      return end;
    }
    return (is_first && has_line) ||
                   (has_directive_ && (name == "else" || name == "empty" ||
                                       (name.starts_with("end") && name.size() > 4)))
               ? end
               : 0;
  }

  bool begins_line(std::size_t at) const {
    const std::size_t before = at == 0 ? page_.npos : page_.find_last_not_of(kLineBlanks, at - 1);
    return before == page_.npos || is_one_of(page_[before], "\r\n");
  }

  std::size_t bytes_of_line(std::size_t at) const {
    return std::min(page_.find_first_of("\r\n", at), page_.size()) - at;
  }

  /// Bytes of an element of Mako, `<%block name="x">`, of its end `</%def>`, or of one whose
  /// content is no text.
  std::size_t bytes_of_mako(std::size_t at) {
    const std::string_view near = page_.substr(at, kLongestTag);
    if (near.starts_with("</%")) {
      const std::size_t end = near.find('>');
      return end == near.npos ? 0 : end + 1;
    }
    static const std::set<std::string_view> names{"block",   "call",      "def",  "doc", "include",
                                                  "inherit", "namespace", "page", "text"};
    if (!near.starts_with("<%")) return 0;
    std::size_t end = after_run(near, kLetters, 2);
    const std::string_view name = near.substr(2, end - 2);
    const bool is_call = !name.empty() && near.substr(end).starts_with(':');
    if (!names.contains(name) && !is_call) return 0;
    for (; end < near.size() && near[end] != '>'; ++end)
      if (is_one_of(near[end], "\"'")) end = std::min(near.find(near[end], end + 1), near.size());
    if (end >= near.size() || near[end - 1] == '%') return 0;  // `<%if x%>`
    if (name == "doc" || name == "text") {
      const std::string close = "</%" + std::string(name) + ">";
      if (const std::size_t last = next(close, at); last != page_.npos)
        return last + close.size() - at;
    }
    return end + 1;
  }

  /// The byte after the bracket that closes this one, or 0.
  static std::size_t after_bracket(std::string_view text, std::size_t at) {
    for (std::size_t depth = 0; at < text.size(); ++at) {
      if (text[at] == '(') ++depth;
      if (text[at] == ')' && --depth == 0) return at + 1;
    }
    return 0;
  }

  /// Bytes of a `}` that ends control flow.
  std::size_t bytes_of_end() {
    if (open_.empty()) return 0;
    const bool is_control = open_.back();
    open_.pop_back();
    return is_control ? 1 : 0;
  }

  /// Finds the statements that have their lines for themselves.
  void find_lines() {
    const auto is_between = [&](std::size_t from, std::size_t to) {
      return after_run(page_.substr(0, to), kLineBlanks, from) == to;
    };
    for (std::size_t i = 0; i < tags_.size(); ++i) {
      // The line from its beginning, or from the tag before.
      const std::size_t before = page_.substr(0, tags_[i].bytes.from).find_last_not_of(kLineBlanks);
      const bool begins = before == page_.npos || is_one_of(page_[before], "\r\n");
      const bool follows =
          i > 0 && tags_[i - 1].has_line && is_between(tags_[i - 1].bytes.to, tags_[i].bytes.from);
      tags_[i].has_line = tags_[i].is_statement && (begins || follows);
    }
    for (std::size_t i = tags_.size(); i-- > 0;) {
      const std::size_t at = after_run(page_, kLineBlanks, tags_[i].bytes.to);
      const bool ends = at == page_.size() || is_one_of(page_[at], "\r\n");
      const bool precedes =
          i + 1 < tags_.size() && tags_[i + 1].has_line && at == tags_[i + 1].bytes.from;
      tags_[i].has_line = tags_[i].has_line && (ends || precedes);
    }
  }

  std::string_view page_;
  bool is_mako_;
  bool has_directive_ = false;  // of Blade, with a bracket
  std::vector<TemplateTag> tags_;
  std::vector<bool> open_;  // braces, since the first of control flow: whether they are of it
  std::map<std::string, std::size_t, std::less<>> next_;  // by end: where it was found
};

}  // namespace

std::vector<TemplateTag> templates_of(std::string_view page) {
  return TemplateFinder(page).find();
}

}  // namespace heed::document
