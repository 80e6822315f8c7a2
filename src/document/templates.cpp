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
// AngularJS has these on pages that Django or Flask make.
constexpr std::array<Marks, 2> kOtherMarks = {{{"{$ ", "$}"}, {"{[ ", "]}"}}};

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
  for (std::size_t at = 0; (at = text.find_first_of("\"'<", at)) != text.npos; ++at) {
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
  if (tag.starts_with("<?")) return !tag.starts_with("<?=") && !tag.starts_with("<?php echo");
  if (tag.starts_with("<%")) return tag.size() < 3 || !is_one_of(tag[2], "=-");
  if (tag.starts_with("{{")) {
    static const std::set<std::string_view> names{"else", "end", "if", "range", "with"};  // of Go
    const std::string_view inside = trim(tag.substr(2 + after_run(tag.substr(2), "-~")));
    return tag.size() > 2 && (is_one_of(tag[2], "<%#/!^>") ||
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
  return !tag.starts_with('$') && !tag.starts_with("#{") && !tag.starts_with('%');
}

bool keeps_content(std::string_view name) {
  static const std::set<std::string_view> names{"code",      "code-toggle", "codeblock", "comment",
                                                "highlight", "math",        "mermaid"};
  return names.contains(name);
}

namespace {

/// Finds the tags of a page.
class TemplateFinder {
 public:
  explicit TemplateFinder(std::string_view page) : page_(page) {}

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
      case '#':
        return bytes_of_value(at);
      case '@':
        return bytes_of_control(at);
      case '[':
      case '%':
        return bytes_of_field(at);
      case '}':
        return bytes_of_end();
      case '<':
        if (rest.starts_with("<?php") || rest.starts_with("<?=")) {
          const std::size_t end = next("?>", at);
          return (end == page_.npos ? page_.size() : end + 2) - at;
        }
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

  /// Bytes of a tag with marks of kMarks. A page has it in any number of lines.
  std::size_t bytes_of_tag(std::size_t at) {
    const Marks* marks = marks_of(page_.substr(at));
    for (const Marks& other : kOtherMarks)
      if (page_.substr(at).starts_with(other.begin)) marks = &other;
    const std::size_t end = marks == nullptr ? page_.npos : next(std::string(marks->end), at + 2);
    constexpr std::size_t kLongest = 1 << 16;
    if (end == page_.npos || end - at > kLongest) return 0;
    const bool is_comment = page_[at + 1] == '#' || page_.substr(at).starts_with("{{!");
    if (!is_comment && has_end_tag(page_.substr(at + 2, end - at - 2))) return 0;
    return after_template(page_, at, end) - at;
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

  /// Bytes of `@if (x) {`, which goes on to its `}`, or of `@if (x)` and `@endif` at the beginning
  /// of a line.
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
    const bool begins_line = at == 0 || page_.find_last_not_of(kLineBlanks, at - 1) == page_.npos ||
                             is_one_of(page_[page_.find_last_not_of(kLineBlanks, at - 1)], "\r\n");
    if (name == "let" && begins_line) {
      const std::size_t last = near.find_first_of(";\n", end);
      return last != near.npos && near[last] == ';' ? last + 1 : 0;
    }
    if (!names.contains(name) && !name.starts_with("end")) return 0;
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
    return begins_line && (has_line || near[end - 1] == ')') ? end : 0;
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
  std::vector<TemplateTag> tags_;
  std::vector<bool> open_;  // braces, since the first of control flow: whether they are of it
  std::map<std::string, std::size_t, std::less<>> next_;  // by end: where it was found
};

}  // namespace

std::vector<TemplateTag> templates_of(std::string_view page) {
  return TemplateFinder(page).find();
}

}  // namespace heed::document
