#include "document/lines_of_text.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/strings.h"
#include "document/line_breaks.h"
#include "text/characters.h"
#include "text/references.h"
#include "text/utf8.h"

namespace heed::document {

LineByLine::LineByLine(std::string_view bytes) : bytes_(bytes) {
  std::size_t from = bytes.starts_with("\uFEFF") ? 3 : 0;
  while (from < bytes.size()) {
    const std::size_t end = std::min(bytes.find_first_of("\r\n", from), bytes.size());
    lines_.push_back({from, end});
    from = end + (bytes.substr(end).starts_with("\r\n") ? 2 : 1);
  }
}

std::string_view LineByLine::line(std::size_t i) const {
  return i < count() ? bytes_.substr(lines_[i].from, lines_[i].to - lines_[i].from) : "";
}

void LineByLine::end() {
  if (has_text()) all_.push_back(std::move(now_));
  now_.clear();
}

std::vector<LinesOfText> LineByLine::result() {
  end();
  return std::move(all_);
}

std::size_t LetterBullets::bytes_of(std::string_view line) {
  const std::size_t bullet = after_run(line, " \t");
  const bool is_first = std::exchange(is_first_, bullet == line.size());
  const std::size_t text =
      line.substr(bullet).starts_with('o') ? after_run(line, " \t", bullet + 1) : 0;
  bool has_bullet = text > bullet + 1 && text < line.size();
  if (has_bullet) {
    const char32_t c = text::code_point_at(line, text).value;
    has_bullet = text::to_lower(c) != c;
  }
  if (is_first) is_list_ = has_bullet;
  return is_list_ && has_bullet ? text : 0;
}

std::size_t ListNumbers::bytes_of(std::string_view line) {
  const std::size_t from = after_run(line, " \t"), to = after_run(line, "0123456789", from);
  if (to == from || to - from > 3 || to + 1 >= line.size() || !is_one_of(line[to], ".)") ||
      !is_one_of(line[to + 1], " \t"))
    return 0;
  const auto number = exact_number<int64_t>(line.substr(from, to - from)).value_or(0);
  const bool is_next = has_lines_ && (number == 1 || number == last_ + 1);
  if (line[to] != ')' && !is_next) return 0;
  last_ = number;
  return after_run(line, " \t", to + 1);
}

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

std::size_t marker_bytes(std::string_view line) {
  return prefix_of(line, /*goes_on=*/true).bytes;
}

namespace {

/// The passage with these lines; without tokens where they are blank.
Passage passage_of(std::string_view bytes, const LinesOfText& lines, FindTokens find) {
  std::vector<ByteRange> trimmed;
  for (const ByteRange& line : lines)
    if (const std::string_view text = trim(bytes.substr(line.from, line.to - line.from));
        !text.empty()) {
      const auto from = static_cast<std::size_t>(text.data() - bytes.data());
      trimmed.push_back({from, from + text.size()});
    }
  Passage passage;
  if (trimmed.empty()) return passage;
  // On one line, with a blank for each break that stands for one.
  std::string joined;
  std::vector<std::size_t> starts;  // of each line in `joined`
  for (std::size_t i = 0; i < trimmed.size(); ++i) {
    if (i > 0 && !has_no_blank_between(text::value_before(bytes, trimmed[i - 1].to),
                                       text::code_point_at(bytes, trimmed[i].from).value))
      joined += ' ';
    starts.push_back(joined.size());
    joined += bytes.substr(trimmed[i].from, trimmed[i].to - trimmed[i].from);
  }
  const auto byte_of = [&](std::size_t at) {
    const auto line =
        static_cast<std::size_t>(std::ranges::upper_bound(starts, at) - starts.begin() - 1);
    return std::min(trimmed[line].from + (at - starts[line]), trimmed[line].to);
  };
  std::size_t end = trimmed.front().from, line = 0;  // of the bytes that are in tokens
  const auto add_text = [&](std::size_t to) {
    while (end < to) {
      while (end > trimmed[line].to) ++line;  // a token has gone into a later line
      Token token{.from = end, .to = std::min(to, trimmed[line].to)};
      if (end == trimmed[line].to) {
        token.to = trimmed[++line].from;
        token.syntax = Token::Syntax::line_break;
      }
      end = token.to;
      passage.tokens.push_back(std::move(token));
    }
  };
  for (Token token : find(joined)) {
    token.from = byte_of(token.from);
    token.to = byte_of(token.to - 1) + 1;
    add_text(token.from);
    if (!token.text.empty()) passage.writing.escaped = text::with_references;
    end = token.to;
    passage.tokens.push_back(std::move(token));
  }
  add_text(trimmed.back().to);
  return passage;
}

}  // namespace

Passages passages_of(std::string_view bytes, const std::vector<LinesOfText>& texts, FindTokens find,
                     bool has_markers) {
  Passages out;
  for (const LinesOfText& lines : texts)
    if (Passage passage = passage_of(bytes, lines, find); !passage.tokens.empty()) {
      passage.writing.has_markers = has_markers;
      out.push_back(std::move(passage));
    }
  return out;
}

}  // namespace heed::document
