#include "document/markdown_tokens.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/strings.h"
#include "document/lines_of_text.h"
#include "document/markdown_passage.h"
#include "text/kept.h"

namespace heed::document {
namespace {

constexpr std::size_t kNowhere = MarkdownEvent::kNowhere;
constexpr std::string_view kBetweenLines = " \t\r\n>";
constexpr std::string_view kEscaped = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
constexpr std::string_view kLink = "[";  // the name of links and images

/// Reads the events of one text.
class EventReader {
 public:
  EventReader(std::string_view bytes, const CommonMarkdown& markdown,
              const std::vector<MarkdownEvent>& events, std::size_t floor, Passages& out)
      : bytes_(bytes),
        markdown_(markdown),
        text_(markdown.text),
        events_(events),
        floor_(floor),
        tokens_(markdown, /*has_markers=*/true, out),
        bounds_(events.size() + 1, text_.size()) {
    for (std::size_t i = events.size(); i-- > 0;) {
      bounds_[i] = events[i].has_place() ? events[i].from : bounds_[i + 1];
      if (events[i].has_place() && events[i].kind == EventKind::html &&
          closes_element(text_.substr(events[i].from)))
        last_closing_.try_emplace(name_of_tag(text_of(i)), i);
    }
  }

  std::size_t read() {
    const auto placed = std::ranges::find_if(events_, &MarkdownEvent::has_place);
    if (placed == events_.end()) return floor_;
    auto [first, at] = start(static_cast<std::size_t>(placed - events_.begin()));
    tokens_.start(at);
    for (std::size_t i = first; i < events_.size(); ++i) i = read(i);
    const std::size_t end = tokens_.at();
    tokens_.end(end);
    return std::max(end, floor_);
  }

 private:
  using EventKind = MarkdownEvent::EventKind;
  using SpanKind = MarkdownEvent::SpanKind;

  std::string_view text_of(std::size_t i) const {
    return text_.substr(events_[i].from, events_[i].to - events_[i].from);
  }

  bool has(std::size_t at, std::string_view characters) const {
    return at < text_.size() && is_one_of(text_[at], characters);
  }

  std::size_t marks_at(std::size_t at, SpanKind span) const {
    const std::string_view marks = span == SpanKind::strike ? "~" : "*_";
    if (!has(at, marks)) return 0;
    const bool is_double = at + 1 < text_.size() && text_[at + 1] == text_[at];
    if (span == SpanKind::emphasis) return 1;
    return is_double ? 2 : span == SpanKind::strike ? 1 : 0;
  }

  // Where the text begins ----------------------------------------------------------------------

  /// The first event to read, and the byte where it begins: the marks before the text are found
  /// backwards. Where that fails they are left out.
  std::pair<std::size_t, std::size_t> start(std::size_t first) const {
    std::size_t at = events_[first].from;
    const std::pair<std::size_t, std::size_t> without{first, at};
    if (events_[first].kind == EventKind::text && has(at, kEscaped) && at > floor_ &&
        text_[at - 1] == '\\')
      --at;
    for (std::size_t i = first; i-- > 0;) {
      const MarkdownEvent& event = events_[i];
      if (event.kind == EventKind::leave) {
        const std::size_t enter = enter_of(i);
        const auto begin = start_of_empty(enter, i, at);
        if (!begin) return without;
        at = *begin;
        i = enter;
        continue;
      }
      if (event.kind != EventKind::enter || event.span == SpanKind::code)
        while (at > floor_ && has(at - 1, kBetweenLines)) --at;
      if (event.kind != EventKind::enter) continue;
      const std::size_t marks = marks_before(at, event.span);
      if (marks == 0 && event.span != SpanKind::link) return without;
      at -= marks;
    }
    return {0, at};
  }

  /// How many bytes before `at` begin the span.
  std::size_t marks_before(std::size_t at, SpanKind span) const {
    const std::string_view before = text_.substr(floor_, at - floor_);
    if (before.empty()) return 0;
    if (span == SpanKind::code) return before.size() - 1 - before.find_last_not_of('`');
    if (span == SpanKind::link) return is_one_of(before.back(), "[<") ? 1 : 0;
    if (span == SpanKind::image) return before.ends_with("![") ? 2 : 0;
    const std::size_t least = span == SpanKind::strong ? 2 : 1;
    if (before.size() < least) return 0;
    const std::size_t two = before.size() > 1 && marks_at(at - 2, span) == 2 ? 2 : 1;
    const std::size_t marks = span == SpanKind::strike ? two : least;
    return marks_at(at - marks, span) == marks ? marks : 0;
  }

  std::size_t enter_of(std::size_t leave) const {
    std::size_t depth = 0;
    for (std::size_t i = leave;; --i) {
      depth += events_[i].kind == EventKind::leave ? 1 : 0;
      depth -= events_[i].kind == EventKind::enter ? 1 : 0;
      if (depth == 0 || i == 0) return i;
    }
  }

  /// Where the link or image without text begins that ends at `end`.
  std::optional<std::size_t> start_of_empty(std::size_t enter, std::size_t leave,
                                            std::size_t end) const {
    constexpr std::size_t kLongest = 2000;
    const std::size_t least = end - std::min(end - floor_, kLongest);
    for (std::size_t at = end; at-- > least;)
      if (has(at, "![") && end_of_empty(enter, leave, at, end) == end) return at;
    return {};
  }

  std::size_t end_of_empty(std::size_t enter, std::size_t leave, std::size_t at,
                           std::size_t bound) const {
    for (std::size_t i = enter; i <= leave; ++i) {
      const MarkdownEvent& event = events_[i];
      at = std::min(after_run(text_, kBetweenLines, at), bound);
      if (event.kind == EventKind::enter) {
        const std::string_view mark = event.span == SpanKind::image ? "![" : "[";
        if (!text_.substr(at, bound - at).starts_with(mark)) return kNowhere;
        at += mark.size();
      } else if (event.kind == EventKind::leave) {
        if (at >= bound || text_[at] != ']') return kNowhere;
        at += 1 + bytes_of_target(at + 1, bound);
      }
    }
    return at;
  }

  /// Bytes of the address or name of a link, ( ... ) or [ ... ], that begins at `from` and ends at
  /// `bound` at the latest, or 0.
  std::size_t bytes_of_target(std::size_t from, std::size_t bound) const {
    std::size_t at = from + 1;
    const auto skip = [&] { at = std::min(after_run(text_, kBetweenLines, at), bound); };
    // Moves after the next of these characters, which no backslash precedes.
    const auto find = [&](char end) {
      for (; at < bound && text_[at] != end; ++at) at += text_[at] == '\\' ? 1 : 0;
      return ++at <= bound;
    };
    if (from >= bound) return 0;
    if (text_[from] == '[') return find(']') ? at - from : 0;
    if (text_[from] != '(') return 0;
    at = std::min(after_run(text_, " \t\r\n", at), bound);
    if (has(at - 1, "\r\n")) skip();
    if (at < bound && text_[at] == '<') {
      ++at;
      if (!find('>')) return 0;
    } else {
      for (std::size_t depth = 0; at < bound && !has(at, " \t\r\n"); ++at) {
        if (text_[at] == '(') ++depth;
        if (text_[at] == ')' && depth-- == 0) break;
        at += text_[at] == '\\' ? 1 : 0;
      }
    }
    skip();
    if (at < bound && has(at, "\"'(")) {
      const char end = text_[at] == '(' ? ')' : text_[at];
      ++at;
      if (!find(end)) return 0;
      skip();
    }
    return at < bound && text_[at] == ')' ? at + 1 - from : 0;
  }

  // From there on ------------------------------------------------------------------------------

  /// Reads event `i`; returns the last one that was read.
  std::size_t read(std::size_t i) {
    const MarkdownEvent& event = events_[i];
    switch (event.kind) {
      case EventKind::enter:
        return enter(i);
      case EventKind::leave:
        leave(i);
        return i;
      case EventKind::soft_break:
      case EventKind::hard_break:
        read_break(i);
        return i;
      case EventKind::html:
        return event.has_place() ? read_html(i) : i;
      case EventKind::reference:
        read_reference(event);
        return i;
      case EventKind::text:
      case EventKind::code:
        break;
    }
    if (event.to > tokens_.at()) {
      tokens_.add_rest(event.from);
      tokens_.add_text(event.to);
    }
    return i;
  }

  void read_reference(const MarkdownEvent& event) {
    if (event.from < tokens_.at()) return;
    tokens_.add_rest(event.from);
    std::vector<Token> found;
    if (add_reference(text_, event.from, found) == event.to - event.from)
      tokens_.add(std::move(found.front()), event.to);
    else
      tokens_.add_text(event.to);
  }

  /// The place of a mark before the next text, at `tokens_.at()` or after ends of lines.
  std::size_t place_of_mark(std::size_t i) const {
    return std::min(after_run(text_, kBetweenLines, tokens_.at()), bounds_[i]);
  }

  std::size_t enter(std::size_t i) {
    const MarkdownEvent& event = events_[i];
    if (event.span == SpanKind::code) return read_code(i);
    const std::size_t at = place_of_mark(i);
    if (event.span == SpanKind::link && at >= bounds_[i]) return read_address(i, at);
    if (event.span == SpanKind::link && text_[at] == '<') return read_address(i, at);
    const bool is_link = event.span == SpanKind::link || event.span == SpanKind::image;
    std::size_t marks = 0;
    if (event.span == SpanKind::image)
      marks = text_.substr(at).starts_with("![") ? 2 : 0;
    else if (event.span == SpanKind::link)
      marks = has(at, "[") ? 1 : 0;
    else if (event.span != SpanKind::none)
      marks = marks_at(at, event.span);
    open_.push_back({.from = at + marks, .is_shown = marks > 0 && at + marks <= bounds_[i]});
    if (!open_.back().is_shown) return i;
    tokens_.add_rest(at);
    tokens_.add({.syntax = Token::Syntax::opening,
                 .name = is_link ? std::string(kLink) : std::string(text_.substr(at, marks)),
                 .mask = Token::kOpens,
                 .is_link = is_link,
                 .needs_words = !is_link},
                at + marks);
    return i;
  }

  void leave(std::size_t i) {
    const MarkdownEvent& event = events_[i];
    const Open open = open_.empty() ? Open{} : open_.back();
    if (!open_.empty()) open_.pop_back();
    const std::size_t at = place_of_mark(i), bound = bounds_[i];
    const bool is_link = event.span == SpanKind::link || event.span == SpanKind::image;
    std::size_t bytes = 0;
    Token token{.syntax = Token::Syntax::closing, .mask = Token::kCloses};
    if (is_link && at < bound && text_[at] == ']') {
      const std::size_t target = bytes_of_target(at + 1, bound);
      bytes = 1 + target;
      token.name = kLink;
      token.is_link = true;
      // The text is the name of the address.
      if (open.is_shown && (target == 0 || text_.substr(at + 1, target) == "[]"))
        token.written = "][" + one_line_of(open.from, at) + "]";
    } else if (!is_link && event.span != SpanKind::none) {
      bytes = marks_at(at, event.span);
      if (at + bytes > bound) bytes = 0;
      token.name = text_.substr(at, bytes);
      token.needs_words = true;
    }
    if (bytes == 0) return;
    tokens_.add_rest(at);
    tokens_.add(std::move(token), at + bytes);
  }

  /// Bytes of the document on one line.
  std::string one_line_of(std::size_t from, std::size_t to) const {
    const std::size_t begin = markdown_.source(from);
    std::string out;
    for (const char c : bytes_.substr(begin, markdown_.source(to) - begin)) {
      const bool is_blank = is_one_of(c, kBetweenLines);
      if (!is_blank || (!out.empty() && out.back() != ' ')) out += is_blank ? ' ' : c;
    }
    return out;
  }

  std::size_t leave_of(std::size_t enter) const {
    std::size_t depth = 0;
    for (std::size_t i = enter; i < events_.size(); ++i) {
      depth += events_[i].kind == EventKind::enter ? 1 : 0;
      depth -= events_[i].kind == EventKind::leave ? 1 : 0;
      if (depth == 0) return i;
    }
    return events_.size() - 1;
  }

  /// The byte after the last text of these events; `at` where there is none.
  std::size_t end_of_texts(std::size_t first, std::size_t last, std::size_t at) const {
    for (std::size_t i = first; i <= last; ++i)
      if (events_[i].has_place()) at = std::max(at, events_[i].to);
    return at;
  }

  std::size_t read_code(std::size_t i) {
    const std::size_t last = leave_of(i);
    const std::size_t from = place_of_mark(i);
    const std::size_t marks = after_run(text_, "`", from) - from;
    std::size_t end = end_of_texts(i, last, from + marks);
    if (marks == 0) return i;
    while ((end = text_.find('`', end)) != text_.npos) {
      const std::size_t after = after_run(text_, "`", end);
      if (after - end == marks) {
        tokens_.add_rest(from);
        tokens_.add({.syntax = Token::Syntax::whole}, after);
        return last;
      }
      end = after;
    }
    return i;
  }

  /// Reads an address, `<https://x.y>` or without brackets, where it ends before punctuation of
  /// another script.
  std::size_t read_address(std::size_t i, std::size_t from) {
    const std::size_t last = leave_of(i);
    std::size_t end = end_of_texts(i, last, from);
    const std::size_t all = end;
    if (has(from, "<"))
      end += has(end, ">") ? 1 : 0;
    else
      end = from + text::before_other_text(text_.substr(from, end - from));
    tokens_.add_rest(from);
    tokens_.add({.syntax = Token::Syntax::whole}, end);
    tokens_.add_text(std::max(all, tokens_.at()));
    return last;
  }

  void read_break(std::size_t i) {
    std::size_t at = std::min(after_run(text_, " \t", tokens_.at()), bounds_[i]);
    const bool is_hard = events_[i].kind == EventKind::hard_break;
    if (is_hard && has(at, "\\")) ++at;
    if (at >= bounds_[i] || !has(at, "\r\n")) return;
    at += text_.substr(at).starts_with("\r\n") ? 2 : 1;
    at = std::min(after_run(text_, " \t>", at), bounds_[i]);
    // What would be a marker at another place stays at the beginning of its line.
    if (i + 1 < events_.size() && events_[i + 1].kind == EventKind::text &&
        at == events_[i + 1].from)
      at += std::min(marker_bytes(text_of(i + 1)), text_of(i + 1).size());
    if (is_hard && open_.empty())
      tokens_.end(at);
    else
      tokens_.add({.syntax = Token::Syntax::line_break}, at);
  }

  /// The last event of a tag or comment, which may have several lines.
  std::size_t last_of_tag(std::size_t i) const {
    while (i + 2 < events_.size() && events_[i + 1].kind == EventKind::html &&
           !events_[i + 1].has_place() && events_[i + 2].kind == EventKind::html &&
           events_[i + 2].has_place())
      i += 2;
    return i;
  }

  std::size_t read_html(std::size_t i) {
    const std::size_t from = events_[i].from;
    std::size_t last = last_of_tag(i);
    std::size_t to = events_[last].to;
    if (from < tokens_.at()) return last;
    tokens_.add_rest(from);
    const std::string_view tag = text_.substr(from, to - from);
    const std::string name = name_of_tag(tag);
    if (const auto closing = last_closing_.find(name);
        closing != last_closing_.end() && closing->second > last && keeps_element(tag)) {
      last = end_of_element(last, name);
      to = events_[last].to;
      tokens_.add({.syntax = Token::Syntax::whole}, to);
      return last;
    }
    if (name == "br") {
      tokens_.end(to);
      return last;
    }
    tokens_.add(token_of_tag(text_, from, to), to);
    return last;
  }

  /// The event of the end tag for a tag of this name.
  std::size_t end_of_element(std::size_t i, const std::string& name) {
    std::size_t depth = 1;
    for (++i; i < events_.size(); ++i) {
      const MarkdownEvent& event = events_[i];
      if (event.kind == EventKind::enter) open_.push_back({});
      if (event.kind == EventKind::leave && !open_.empty()) open_.pop_back();
      if (event.kind != EventKind::html || !event.has_place() || name_of_tag(text_of(i)) != name)
        continue;
      depth += closes_element(text_of(i)) ? -1 : 1;
      if (depth == 0) return i;
    }
    return last_closing_.at(name);
  }

  struct Open {
    std::size_t from = 0;   // the byte after the mark
    bool is_shown = false;  // the mark is a token
  };

  std::string_view bytes_;
  const CommonMarkdown& markdown_;
  std::string_view text_;
  const std::vector<MarkdownEvent>& events_;
  std::size_t floor_;
  PassageTokens tokens_;
  std::vector<std::size_t> bounds_;  // by event: where the next text begins
  std::map<std::string, std::size_t> last_closing_;
  std::vector<Open> open_;
};

}  // namespace

std::size_t add_passages(std::string_view bytes, const CommonMarkdown& markdown,
                         const std::vector<MarkdownEvent>& events, std::size_t floor,
                         Passages& out) {
  return EventReader(bytes, markdown, events, floor, out).read();
}

}  // namespace heed::document
