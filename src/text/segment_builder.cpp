#include "text/segment_builder.h"

#include <algorithm>
#include <utility>

#include "text/characters.h"
#include "text/marks.h"
#include "text/references.h"
#include "text/utf8.h"
#include "text/words.h"

namespace heed::text {
namespace {

constexpr std::u32string_view kOpening = U"([{\"'“„«‹‘（［「『【《",
                              kClosing = U")]}\"'”“»›’）］」』】》",
                              kGlued = U".,;:!?)]}。，、；：！？）］｝」』】》";

}  // namespace

void SegmentBuilder::add(const MarkupToken& token, std::string_view bytes) {
  using enum MarkupToken::Syntax;
  if (segment_.writing.is_document) bytes_ += bytes;
  if (token.syntax == text) {
    add_text(token.text.empty() ? bytes : token.text);
    segment_.writing.has_references |= !token.text.empty();
  } else if (token.syntax == opening) {
    open(token, bytes);
  } else if (token.syntax == closing) {
    close(token.name, bytes);
  } else {
    add_inlay(Inlay::Kind::item, bytes);
  }
}

void SegmentBuilder::add_staying(std::string_view bytes) {
  add_text(bytes);
  ++segment_.staying[std::string(bytes)];
}

Segment SegmentBuilder::segment() && {
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

void SegmentBuilder::add_text(std::string_view bytes) {
  std::string& text = segment_.text;
  if (bytes.size() == 1 && kMarkupBlanks.find(bytes[0]) != std::string_view::npos) {
    blank_ = gap_ = true;
    if (last_ != Inlay::kNone) segment_.inlays[last_].blank_after = true;
    return;
  }
  if (gap_ && !text.empty() && !is_glued(code_point_at(bytes, 0).value)) text += ' ';
  text += bytes;
  blank_ = gap_ = false;
  last_ = Inlay::kNone;
}

/// Whether no blank belongs before this character though one has come: "Hello {name}, you" without
/// its item is "Hello, you", and "in (`a` or `b`)" is "in (or)".
bool SegmentBuilder::is_glued(char32_t c) const {
  if (last_ == Inlay::kNone) return false;
  const Inlay& inlay = segment_.inlays[last_];
  return inlay.kind == Inlay::Kind::item &&
         ((!blank_ && kGlued.find(c) != kGlued.npos) || is_after_bracket(inlay));
}

/// Whether the item stands directly after the bracket of a document.
bool SegmentBuilder::is_after_bracket(const Inlay& item) const {
  return segment_.writing.is_document && !item.blank_before && item.begin > 0 &&
         opens_bracket(value_before(segment_.text, item.begin));
}

std::size_t SegmentBuilder::add_inlay(Inlay::Kind kind, std::string_view bytes) {
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
  seen_.push_back({bytes_.size() - std::min(bytes_.size(), bytes.size()), bytes_.size(), gap_});
  blank_ = false;
  join_items();
  return last_;
}

/// Makes one item of two with nothing but marks between them: the list "`a`, `b`, `c`" of a
/// document stays together.
void SegmentBuilder::join_items() {
  std::vector<Inlay>& all = segment_.inlays;
  if (!segment_.writing.is_document || all.size() < 2) return;
  Inlay& first = all[all.size() - 2];
  if (first.kind != Inlay::Kind::item || all.back().kind != Inlay::Kind::item ||
      first.parent != all.back().parent ||
      has_words(std::string_view(segment_.text).substr(first.begin)))
    return;
  Seen& seen = seen_[all.size() - 2];
  first.before += std::string_view(bytes_).substr(seen.to, seen_.back().to - seen.to);
  first.blank_after = false;
  seen.to = seen_.back().to;
  gap_ = seen.gap;
  segment_.text.resize(first.begin);
  all.pop_back();
  seen_.pop_back();
  last_ = all.size() - 1;
}

void SegmentBuilder::open(const MarkupToken& token, std::string_view tag) {
  open_.push_back({add_inlay(Inlay::Kind::opening, tag), token.name});  // until it is closed
  segment_.inlays.back().needs_words = token.needs_words;
  ++open_names_[token.name];
}

void SegmentBuilder::close(const std::string& name, std::string_view tag) {
  if (open_names_[name] == 0) {
    add_inlay(Inlay::Kind::closing, tag);
    return;
  }
  while (open_.back().name != name) pop();
  last_ = open_.back().inlay;
  pop();
  if (open_.size() >= kDeepestInlay) {
    add_inlay(Inlay::Kind::closing, tag);
    return;
  }
  Inlay& inlay = segment_.inlays[last_];
  inlay.kind = Inlay::Kind::element;
  inlay.after = tag;
  inlay.end = segment_.text.size();
  blank_ = false;
  if (!segment_.writing.is_document ||
      has_words(std::string_view(segment_.text).substr(inlay.begin)))
    return;
  // Marks around nothing but items, as in "**`code`**", are a part of the item.
  Seen& seen = seen_[last_];
  seen.to = bytes_.size();
  gap_ = seen.gap;
  segment_.text.resize(inlay.begin);
  segment_.inlays.resize(last_ + 1);
  seen_.resize(last_ + 1);
  inlay = {.before = bytes_.substr(seen.from),
           .begin = inlay.begin,
           .parent = inlay.parent,
           .blank_before = inlay.blank_before};
  join_items();
}

/// Whether no other inlay begins or ends where this one stands.
bool SegmentBuilder::is_alone(const Inlay& inlay) const {
  return std::ranges::none_of(segment_.inlays, [&](const Inlay& other) {
    return &other != &inlay && (other.begin == inlay.begin || other.end == inlay.begin);
  });
}

/// Makes punctuation around an item a part of it: brackets or quote marks directly around it, and
/// marks after it if it follows other marks or begins the segment. Without the item they would
/// stand beside nothing, and a model would drop them.
void SegmentBuilder::take_marks(Inlay& inlay) {
  if (take_pair(inlay)) {
    while (segment_.writing.is_document && take_pair(inlay)) {
    }
    return;
  }
  const std::string& text = segment_.text;
  const std::size_t at = inlay.begin;
  if (inlay.blank_after || at == text.size()) return;
  std::size_t end = text.find_first_not_of(".,;:!?", at);
  if (end == at || (at > 0 && !is_punctuation(value_before(text, at)))) return;
  end = std::min(end, text.size());
  inlay.before += shown(at, end - at);
  cut(at, end - at);
  leave_one_blank(inlay);
}

/// Takes brackets or quote marks directly around the item; returns false where there are none.
bool SegmentBuilder::take_pair(Inlay& inlay) {
  const std::string& text = segment_.text;
  const std::size_t at = inlay.begin;
  if (inlay.blank_before || inlay.blank_after || at == 0 || at == text.size()) return false;
  const char32_t before = value_before(text, at);
  const CodePoint next = code_point_at(text, at);
  const std::size_t pair = kOpening.find(before);
  if (pair == kOpening.npos || kClosing[pair] != next.value) return false;
  const std::size_t bytes = encode_utf8(std::u32string(1, before)).size();
  inlay.before = shown(at - bytes, bytes) + inlay.before + shown(at, next.bytes);
  cut(at, next.bytes);
  cut(at - bytes, bytes);
  inlay.blank_before = at > bytes && text[at - bytes - 1] == ' ';
  leave_one_blank(inlay);
  return true;
}

/// Leaves one of the blanks around an item that has taken marks, after it.
void SegmentBuilder::leave_one_blank(Inlay& inlay) {
  const std::string& text = segment_.text;
  inlay.blank_after = inlay.begin < text.size() && text[inlay.begin] == ' ';
  if (inlay.blank_after && (inlay.begin == 0 || is_after_bracket(inlay)))
    cut(inlay.begin, 1);
  else if (inlay.begin > 0 && text[inlay.begin - 1] == ' ')
    cut(inlay.begin - 1, 1);
}

/// These bytes of the text as the source has them.
std::string SegmentBuilder::shown(std::size_t at, std::size_t bytes) const {
  const std::string_view marks = std::string_view(segment_.text).substr(at, bytes);
  return segment_.writing.has_references ? with_references(marks) : std::string(marks);
}

/// Removes bytes from the text.
void SegmentBuilder::cut(std::size_t at, std::size_t bytes) {
  segment_.text.erase(at, bytes);
  for (Inlay& inlay : segment_.inlays)
    for (std::size_t* const place : {&inlay.begin, &inlay.end})
      if (*place > at) *place = std::max(at, *place - std::min(*place, bytes));
}

void SegmentBuilder::pop() {
  --open_names_[open_.back().name];
  open_.pop_back();
}

}  // namespace heed::text
