#include "text/markup.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "base/error.h"
#include "text/characters.h"
#include "text/references.h"
#include "text/utf8.h"
#include "text/words.h"

namespace heed::text {
namespace {

/// Bytes of the blank at this end of the text, or 0.
std::size_t blank_at(std::string_view text, bool front) {
  for (const std::string_view blank : {" ", "\t", "\n", "\r", "\f", "&nbsp;", "\u00A0"})
    if (front ? text.starts_with(blank) : text.ends_with(blank)) return blank.size();
  return 0;
}

/// The bytes of an address, which ends before a reference to a character that no address has, such
/// as `&gt;`, and before the punctuation there.
std::size_t before_reference(std::string_view raw, std::size_t at, std::size_t bytes) {
  const std::string_view address = raw.substr(at, bytes);
  for (std::size_t i = 0; (i = address.find('&', i)) != std::string_view::npos; ++i)
    if (const auto reference = reference_at(raw, at + i))
      if (const char32_t c = reference->character.value_or(U'&'); c != U'&' && !is_letter(c))
        return without_marks(address.substr(0, i));
  return bytes;
}

/// Reads a segment from its beginning to its end.
class SegmentReader {
 public:
  SegmentReader(std::string_view raw, MarkupKind kind, const KeepOptions& kept) : kind_(kind) {
    segment_.raw = raw;
    for (std::size_t at = 0; at < raw.size();) {
      const bool is_tag = kind != MarkupKind::none && raw[at] == '<';
      KeptItem item = kept.any() && !is_tag ? kept_item_at(raw, at, kept) : KeptItem();
      // Only addresses begin with a letter. Placeholders do not, and may contain any reference.
      if (kind != MarkupKind::none && is_letter(static_cast<unsigned char>(raw[at])))
        item.bytes = before_reference(raw, at, item.bytes);
      const MarkupToken token =
          item.bytes > 0 ? MarkupToken{.syntax = MarkupToken::Syntax::whole, .bytes = item.bytes}
                         : token_at(raw, at, kind);
      const std::string_view bytes = raw.substr(at, token.bytes);
      if (item.bytes > 0 && item.stays)
        add_text(bytes), ++segment_.staying[std::string(bytes)];
      else if (token.syntax == MarkupToken::Syntax::text)
        add_text(token.text.empty() ? bytes : token.text);
      else if (token.syntax == MarkupToken::Syntax::opening)
        open(token.name, bytes);
      else if (token.syntax == MarkupToken::Syntax::closing)
        close(token.name, bytes);
      else
        add(Inlay::Kind::item, bytes);
      at += token.bytes;
    }
  }

  Segment segment() && {
    std::vector<Inlay>& all = segment_.inlays;
    for (Inlay& inlay : all) {
      if (inlay.kind != Inlay::Kind::element) inlay.end = inlay.begin;
      // An inlay in an element without an end is in the element around that.
      if (inlay.parent != Inlay::kNone && all[inlay.parent].kind != Inlay::Kind::element)
        inlay.parent = all[inlay.parent].parent;
    }
    constexpr std::size_t kMost = 256;  // more are a table, not a sentence, and would take long
    for (Inlay& inlay : all)
      if (all.size() <= kMost && inlay.kind == Inlay::Kind::item && is_alone(inlay))
        take_marks(inlay);
    return std::move(segment_);
  }

 private:
  struct Open {
    std::size_t inlay;
    std::string name;
  };

  void add_text(std::string_view bytes) {
    std::string& text = segment_.text;
    if (bytes.size() == 1 && kMarkupBlanks.find(bytes[0]) != std::string_view::npos) {
      blank_ = gap_ = true;
      if (last_ != Inlay::kNone) segment_.inlays[last_].blank_behind = true;
      return;
    }
    // "Hello {name}, you" without its item is "Hello, you".
    const bool is_glued = !blank_ && last_ != Inlay::kNone &&
                          segment_.inlays[last_].kind == Inlay::Kind::item &&
                          std::string_view(".,;:!?)]}").find(bytes[0]) != std::string_view::npos;
    if (gap_ && !text.empty() && !is_glued) text += ' ';
    text += bytes;
    blank_ = gap_ = false;
    last_ = Inlay::kNone;
  }

  std::size_t add(Inlay::Kind kind, std::string_view bytes) {
    // "{a}{b}" is one item.
    if (kind == Inlay::Kind::item && !blank_ && last_ != Inlay::kNone &&
        last_ + 1 == segment_.inlays.size() && segment_.inlays[last_].kind == kind) {
      segment_.inlays[last_].before += bytes;
      return last_;
    }
    const std::size_t depth = std::min(open_.size(), kDeepestInlay);
    last_ = segment_.inlays.size();
    segment_.inlays.push_back({.kind = kind,
                               .before = std::string(bytes),
                               .begin = segment_.text.size(),
                               .parent = depth > 0 ? open_[depth - 1].inlay : Inlay::kNone,
                               .blank_before = blank_});
    blank_ = false;
    return last_;
  }

  void open(const std::string& name, std::string_view tag) {
    open_.push_back({add(Inlay::Kind::opening, tag), name});  // until it is closed
    ++open_names_[name];
  }

  void close(const std::string& name, std::string_view tag) {
    if (open_names_[name] == 0) {
      add(Inlay::Kind::closing, tag);
      return;
    }
    while (open_.back().name != name) pop();
    Inlay& inlay = segment_.inlays[open_.back().inlay];
    pop();
    if (open_.size() >= kDeepestInlay) {
      add(Inlay::Kind::closing, tag);
      return;
    }
    inlay.kind = Inlay::Kind::element;
    inlay.behind = tag;
    inlay.end = segment_.text.size();
    last_ = static_cast<std::size_t>(&inlay - segment_.inlays.data());
    blank_ = false;
  }

  /// Whether no other inlay begins or ends where this one stands.
  bool is_alone(const Inlay& inlay) const {
    return std::ranges::none_of(segment_.inlays, [&](const Inlay& other) {
      return &other != &inlay && (other.begin == inlay.begin || other.end == inlay.begin);
    });
  }

  /// Makes punctuation around an item a part of it: brackets or quote marks directly around it, and
  /// marks after it if it follows other marks or begins the segment. Without the item they would
  /// stand beside nothing, and a model would drop them.
  void take_marks(Inlay& inlay) {
    static constexpr std::u32string_view kOpening = U"([{\"'“„«‹‘（［「『【《",
                                         kClosing = U")]}\"'”“»›’）］」』】》";
    const std::string& text = segment_.text;
    const std::size_t at = inlay.begin;
    if (inlay.blank_behind || at == text.size()) return;
    const char32_t before = inlay.blank_before ? U' ' : value_before(text, at);
    const CodePoint next = code_point_at(text, at);
    if (const std::size_t pair = kOpening.find(before);
        pair != kOpening.npos && kClosing[pair] == next.value) {
      const std::size_t bytes = encode_utf8(std::u32string(1, before)).size();
      inlay.before = shown(at - bytes, bytes) + inlay.before + shown(at, next.bytes);
      cut(at, next.bytes);
      cut(at - bytes, bytes);
      inlay.blank_before = at > bytes && text[at - bytes - 1] == ' ';
    } else if (std::size_t end = text.find_first_not_of(".,;:!?", at);
               end != at && (at == 0 || is_punctuation(value_before(text, at)))) {
      end = std::min(end, text.size());
      inlay.before += shown(at, end - at);
      cut(at, end - at);
    } else {
      return;
    }
    // One of the blanks around it is left, after it.
    inlay.blank_behind = inlay.begin < text.size() && text[inlay.begin] == ' ';
    if (inlay.blank_behind && inlay.begin == 0)
      cut(0, 1);
    else if (inlay.begin > 0 && text[inlay.begin - 1] == ' ')
      cut(inlay.begin - 1, 1);
  }

  /// These bytes of the text as the page has them.
  std::string shown(std::size_t at, std::size_t bytes) const {
    const std::string_view marks = std::string_view(segment_.text).substr(at, bytes);
    return kind_ == MarkupKind::none ? std::string(marks) : with_references(marks);
  }

  /// Removes bytes from the text.
  void cut(std::size_t at, std::size_t bytes) {
    segment_.text.erase(at, bytes);
    for (Inlay& inlay : segment_.inlays)
      for (std::size_t* const place : {&inlay.begin, &inlay.end})
        if (*place > at) *place = std::max(at, *place - std::min(*place, bytes));
  }

  void pop() {
    --open_names_[open_.back().name];
    open_.pop_back();
  }

  MarkupKind kind_;
  Segment segment_;
  std::vector<Open> open_;
  std::map<std::string, int64_t> open_names_;
  std::size_t last_ = Inlay::kNone;  // the inlay that the next character follows
  bool blank_ = false;               // a blank directly follows this inlay, or the last character
  bool gap_ = false;                 // a blank has come since the last character
};

}  // namespace

Markup::Markup(std::string_view page, MarkupKind kind, KeepOptions kept)
    : kind_(kind), kept_(std::move(kept)) {
  if (kind == MarkupKind::none || page.find_first_of("<&\n") == std::string_view::npos) {
    Segment line = SegmentReader(page, kind, kept_).segment();
    if (!line.inlays.empty()) {
      add_segment(page);
      return;
    }
    line.text = repair(page);
    segments_.push_back(std::move(line));
    around_.emplace_back();
    return;
  }
  std::size_t from = 0;  // where the segment that is being read begins
  bool keeps_lines = false;
  const auto end_segment = [&](std::size_t end, std::size_t behind) {
    add_segment(page.substr(from, end - from));
    around_.back() += page.substr(end, behind - end);
    from = behind;
  };
  for (std::size_t at = 0; (at = page.find_first_of("<\n", at)) != std::string_view::npos;) {
    const MarkupToken token = token_at(page, at, kind);
    const std::size_t end = at + token.bytes;
    if (token.syntax == MarkupToken::Syntax::block || (keeps_lines && page[at] == '\n'))
      end_segment(at, end);
    if (kind == MarkupKind::html && (token.name == "pre" || token.name == "textarea"))
      keeps_lines = page[at + 1] != '/';
    at = end;
  }
  end_segment(page.size(), page.size());
}

void Markup::add_segment(std::string_view raw) {
  std::size_t begin = 0, end = raw.size();
  while (const std::size_t blank = blank_at(raw.substr(begin), true)) begin += blank;
  if (begin < end)
    while (const std::size_t blank = blank_at(raw.substr(begin, end - begin), false)) end -= blank;
  const std::string inner = repair(raw.substr(begin, end - begin));
  Segment segment = SegmentReader(inner, kind_, kept_).segment();
  if (!has_words(segment.text)) {
    around_.back() += raw;
    return;
  }
  around_.back() += raw.substr(0, begin);
  segments_.push_back(std::move(segment));
  around_.emplace_back(raw.substr(end));
}

std::string Markup::with(const std::vector<std::string>& texts) const {
  expect(texts.size() == segments_.size(), "a text for each segment");
  std::string page = around_.front();
  for (std::size_t i = 0; i < texts.size(); ++i) page += texts[i] + around_[i + 1];
  return page;
}

}  // namespace heed::text
