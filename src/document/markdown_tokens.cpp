#include "document/markdown_tokens.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/strings.h"
#include "document/html.h"
#include "document/html_elements.h"
#include "document/lines_of_text.h"
#include "document/markup_tokens.h"
#include "text/characters.h"
#include "text/kept.h"
#include "text/references.h"
#include "text/script.h"
#include "text/utf8.h"
#include "text/words.h"

namespace heed::document {
namespace {

/// Adds the reference, such as &amp;, that begins at `at`; returns its bytes or 0. For the model a
/// letter, and what stands inside a word, is a character; any other reference stays as it is.
std::size_t add_reference(std::string_view text, std::size_t at, std::vector<Token>& tokens) {
  const auto reference = text::reference_at(text, at);
  if (!reference) return 0;
  Token& added = tokens.emplace_back(
      Token{.from = at, .to = at + reference->bytes, .syntax = Token::Syntax::whole});
  const char32_t character = reference->character.value_or(U' ');
  const bool is_inside = added.to < text.size() && text::is_in_word(text::value_before(text, at)) &&
                         text::is_in_word(text::code_point_at(text, added.to).value);
  if (text::is_letter(character) || (is_inside && text::is_punctuation(character))) {
    added.syntax = Token::Syntax::text;
    added.text = text::encode_utf8(std::u32string(1, character));
  }
  return reference->bytes;
}

constexpr std::size_t kNowhere = MarkdownEvent::kNowhere;
constexpr std::string_view kBetweenLines = " \t\r\n>";
constexpr std::string_view kEscaped = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
constexpr std::string_view kLink = "[";  // the name of links and images

/// The name, in small letters, of the tag that `tag` begins with; "" where there is none.
std::string name_of_tag(std::string_view tag) {
  const std::size_t from = tag.starts_with("</") ? 2 : 1;
  const std::size_t end = std::min(tag.find_first_of(" \t\r\n\f/>", from), tag.size());
  return from < tag.size() && tag[0] == '<' ? ascii_lower(tag.substr(from, end - from)) : "";
}

bool closes_element(std::string_view tag) {
  return tag.starts_with("</");
}

/// Whether what is between this tag and its end tag stays as it is.
bool keeps_element(std::string_view text) {
  const Tag tag = tag_at(text, 0, MarkupKind::html);
  if (text.empty() || tag.closes || tag.is_empty) return false;
  return tag.translate ? !*tag.translate : tag.name == "pre" || is_untranslated_element(tag.name);
}

/// Whether the `<` at `at` would begin a tag, a comment or an instruction.
bool begins_tag(std::string_view text, std::size_t at) {
  if (at + 1 >= text.size() || text[at] != '<') return false;
  const char next = text[at + 1];
  return (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z') || is_one_of(next, "/!?");
}

bool has_tag(std::string_view text) {
  for (std::size_t at = 0; (at = text.find('<', at)) != text.npos; ++at)
    if (begins_tag(text, at)) return true;
  return false;
}

/// The text with a reference for each `<` that would begin a tag, which browsers would hide.
std::string without_tags(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at)
    if (begins_tag(text, at) && (at == 0 || text[at - 1] != '\\'))
      out += "&lt;";
    else
      out += text[at];
  return out;
}

/// A token of a tag or a comment.
Token token_of_tag(std::string_view text, std::size_t from, std::size_t to) {
  const std::string_view tag = text.substr(from, to - from);
  const Token found = token_at(tag, 0, MarkupKind::html);
  Token token{.from = from, .to = to, .syntax = Token::Syntax::whole};
  token.mask = closes_element(tag) ? Token::kCloses : Token::kOpens;
  if (found.syntax != Token::Syntax::opening && found.syntax != Token::Syntax::closing)
    return token;
  token.syntax = found.syntax;
  token.name = found.name;
  token.is_link = found.name == "a";
  return token;
}

/// Tokens of a passage, each from where the one before ended.
class PassageTokens {
 public:
  /// `has_markers` as in Writing.
  PassageTokens(const CommonMarkdown& markdown, bool has_markers, Passages& out)
      : markdown_(markdown), out_(out), has_markers_(has_markers) {}

  bool is_empty() const { return tokens_.empty(); }
  std::size_t at() const { return at_; }
  void start(std::size_t at) { at_ = at; }

  /// Adds a token that ends at `to`.
  void add(Token token, std::size_t to) {
    token.from = at_;
    token.to = to;
    if (to <= at_) return;
    at_ = to;
    tokens_.push_back(std::move(token));
  }

  /// Adds text up to `to`, and what in it stays.
  void add_text(std::size_t to) {
    const auto& whole = markdown_.whole;
    auto next = std::ranges::upper_bound(whole, at_, {}, &ByteRange::to);
    while (at_ < to) {
      const bool is_near = next != whole.end() && next->from < to;
      add_plain(is_near ? std::max(at_, next->from) : to);
      if (!is_near) continue;
      const char first = markdown_.text[next->from];
      // A line of structure in a block of HTML.
      const bool is_line = first == '#';
      add({.syntax = is_line ? Token::Syntax::block : Token::Syntax::whole,
           .mask = first == CommonMarkdown::kNote ? Token::kCloses : Token::kWord},
          next->to);
      ++next;
    }
  }

  /// Adds what stands between two texts and is no mark, such as the backslash of an escape.
  void add_rest(std::size_t to) {
    if (to <= at_) return;
    const std::string_view rest = std::string_view(markdown_.text).substr(at_, to - at_);
    if (rest.find_first_of("\r\n") == rest.npos) return add_plain(to);
    add({.syntax = Token::Syntax::line_break}, to);
  }

  /// Ends the passage; the next one starts at `at`.
  void end(std::size_t at) {
    Passage passage{.tokens = std::move(tokens_)};
    tokens_.clear();
    at_ = at;
    if (passage.tokens.empty()) return;
    passage.writing.has_markers = has_markers_;
    // Where the text itself has a bare `<` before a letter, the model may write it, too.
    const bool has_bare = std::ranges::any_of(passage.tokens, [&](const Token& token) {
      return token.is_plain() &&
             has_tag(std::string_view(markdown_.text).substr(token.from, token.bytes()));
    });
    if (!has_bare) passage.writing.escaped = without_tags;
    for (Token& token : passage.tokens) {
      if (token.syntax == Token::Syntax::text && !token.text.empty())
        passage.writing.escaped = text::with_references;
      token.from = markdown_.source(token.from);
      token.to = markdown_.source(token.to - 1) + 1;
    }
    out_.push_back(std::move(passage));
  }

 private:
  void add_plain(std::size_t to) {
    if (to <= at_) return;
    if (tokens_.empty() || !tokens_.back().is_plain()) return add({}, to);
    at_ = tokens_.back().to = to;
  }

  const CommonMarkdown& markdown_;
  Passages& out_;
  bool has_markers_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

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

/// A block of HTML: its lines follow each other in a text of their own, without what Markdown has
/// before them, and are read as a page.
class HtmlLines {
 public:
  HtmlLines(const CommonMarkdown& markdown, const std::vector<ByteRange>& lines)
      : markdown_(markdown), lines_(lines) {
    for (const ByteRange& line : lines) {
      starts_.push_back(html_.size());
      html_ += std::string_view(markdown.text).substr(line.from, line.to - line.from);
      html_ += '\n';
    }
  }

  void read(Passages& out) const {
    PassageTokens tokens(markdown_, /*has_markers=*/false, out);
    for (Passage& passage : passages_of_html(html_, {})) {
      tokens.start(place(passage.tokens.front().from));
      for (Token& token : passage.tokens) {
        const std::size_t to = place(token.to);
        if (token.is_plain())
          tokens.add_text(to);
        else
          tokens.add(std::move(token), to);
      }
      tokens.end(tokens.at());
    }
  }

 private:
  /// The byte of the document's text.
  std::size_t place(std::size_t at) const {
    const auto next = std::ranges::upper_bound(starts_, at);
    const auto line = static_cast<std::size_t>(next - starts_.begin() - 1);
    return std::min(lines_[line].from + (at - starts_[line]), lines_[line].to);
  }

  const CommonMarkdown& markdown_;
  const std::vector<ByteRange>& lines_;
  std::string html_;
  std::vector<std::size_t> starts_;  // of each line in html_
};

}  // namespace

std::size_t add_passages(std::string_view bytes, const CommonMarkdown& markdown,
                         const std::vector<MarkdownEvent>& events, std::size_t floor,
                         Passages& out) {
  return EventReader(bytes, markdown, events, floor, out).read();
}

void add_html(const CommonMarkdown& markdown, const std::vector<ByteRange>& lines, Passages& out) {
  HtmlLines(markdown, lines).read(out);
}

}  // namespace heed::document
