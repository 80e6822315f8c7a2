#include "document/segment_builder.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "document/line_breaks.h"
#include "document/marks.h"
#include "document/markup_tokens.h"
#include "document/stand_ins.h"
#include "text/characters.h"
#include "text/script.h"
#include "text/utf8.h"
#include "text/words.h"

namespace heed::document {
namespace {

constexpr std::u32string_view kOpening = U"([{<\"'“„«‹‘（［「『【《",
                              kClosing = U")]}>\"'”“»›’）］」』】》",
                              kGlued = U".,;:!?)]}。，、；：！？）］｝」』】》";

}  // namespace

std::string_view joint_of(std::string_view bytes, const Token& line_break) {
  const bool is_inside = line_break.from > 0 && line_break.to < bytes.size();
  return is_inside && has_no_blank_between(text::value_before(bytes, line_break.from),
                                           text::code_point_at(bytes, line_break.to).value)
             ? ""
             : " ";
}

namespace {

/// More names than this in one sentence are hardly ever all copied.
constexpr std::ptrdiff_t kMostStandIns = 32;

}  // namespace

Segment make_segment(std::string_view raw, std::vector<Token> tokens, const Writing& writing,
                     StandIns stand_ins) {
  char letter = 0;
  if (writing.is_document && stand_ins == StandIns::of_documents &&
      std::ranges::any_of(tokens, [&](const Token& token) {
        return is_stood_for(token, raw.substr(token.from, token.bytes()));
      }))
    letter = free_letter(raw);
  SegmentBuilder builder(writing, letter);
  std::vector<LineBreak> breaks;
  std::string plain;       // the text, if there is nothing but text in it
  std::size_t joined = 0;  // bytes on one line
  for (const Token& token : tokens) {
    const std::string_view bytes = raw.substr(token.from, token.bytes());
    if (token.syntax == Token::Syntax::line_break) {
      const std::string_view joint = joint_of(raw, token);
      breaks.push_back({.at = joined,
                        .bytes = token.text.empty() ? std::string(bytes) : token.text,
                        .divides = token.divides,
                        .ended_elements = token.ended_elements});
      joined += joint.size();
      plain += joint;
      if (!joint.empty()) builder.add({}, joint);
      continue;
    }
    joined += token.bytes();
    plain += token.is_escape(bytes) ? token.text : bytes;
    if (token.is_plain() && !token.stays)
      text::each_code_point(
          text::repair(bytes),
          [&](const text::CodePoint&, std::string_view character) { builder.add({}, character); });
    else
      builder.add(token, text::repair(token.written.empty() ? bytes : token.written));
  }
  Segment segment = std::move(builder).segment();
  segment.is_in_order = std::ranges::any_of(tokens, [](const Token& token) {
    return token.in_order && token.mask == Token::kWord;  // it may have a stand-in
  });
  // Beside digits, or after letters, a name would be another word.
  if (letter != 0 && (std::ranges::count_if(segment.inlays, &Inlay::stands_in) > kMostStandIns ||
                      !has_stand_ins(segment, segment.text)))
    return make_segment(raw, std::move(tokens), writing, StandIns::no);
  const bool is_plain = std::ranges::all_of(tokens, [&](const Token& token) {
    return token.is_plain() || token.syntax == Token::Syntax::line_break ||
           token.is_escape(raw.substr(token.from, token.bytes()));
  });
  if (writing.is_document && is_plain) segment.text = text::repair(plain);
  for (LineBreak& one : breaks) one.of = joined;
  segment.raw = raw;
  segment.tokens = std::move(tokens);
  segment.breaks = std::move(breaks);
  return segment;
}

namespace {

bool is_markup_blank(std::string_view character) {
  return character.size() == 1 && kMarkupBlanks.find(character[0]) != kMarkupBlanks.npos;
}

bool is_fixed_blank(std::string_view character) {
  return character == "\u00A0" || character == "\u2007" || character == "\u202F";
}

}  // namespace

void SegmentBuilder::add(const Token& token, std::string_view bytes) {
  using enum Token::Syntax;
  if (segment_.writing.is_document) bytes_ += bytes;
  if (token.syntax == text) {
    const std::string_view characters = token.text.empty() ? bytes : token.text;
    if (is_fixed_blank(characters)) {
      if (add_fixed_blank(bytes)) return;
      if (last_ != Inlay::kNone) segment_.inlays[last_].blank_after = true;
      last_blank_ += bytes;
    } else if (!is_markup_blank(characters)) {
      last_blank_.clear();
    } else if (!last_blank_.ends_with(' ')) {
      last_blank_ += ' ';
    }
    add_text(characters);
    if (token.stays) ++segment_.staying[std::string(bytes)];
    return;
  }
  if (token.syntax == opening) {
    open(token, bytes);
  } else if (token.syntax == closing) {
    close(token.name, bytes);
  } else {
    const bool has_stand_in = segment_.stand_ins != 0 && is_stood_for(token, bytes);
    const bool is_word = token.mask == Token::kWord;
    if (token.in_order && is_word && !has_stand_in) {
      open(token, bytes);  // tags whose elements do not end here keep their order
      segment_.inlays.back().in_order = true;
    } else {
      add_item(bytes, has_stand_in);
      segment_.inlays.back().in_order |= token.in_order && !is_word;
    }
  }
  last_blank_.clear();
}

Segment SegmentBuilder::segment() && {
  std::vector<Inlay>& all = segment_.inlays;
  for (Inlay& inlay : all) {
    if (inlay.kind != Inlay::Kind::element && !inlay.stands_in) inlay.end = inlay.begin;
    // An inlay in an element without an end is in the element around that.
    if (inlay.parent != Inlay::kNone && all[inlay.parent].kind != Inlay::Kind::element)
      inlay.parent = all[inlay.parent].parent;
  }
  constexpr std::size_t kMost = 256;  // more are a table, not a sentence, and would take long
  for (Inlay& inlay : all)
    if (all.size() <= kMost && (inlay.kind == Inlay::Kind::item || inlay.in_order) &&
        !inlay.stands_in && is_alone(inlay))
      take_marks(inlay);
  return std::move(segment_);
}

void SegmentBuilder::add_text(std::string_view bytes) {
  std::string& text = segment_.text;
  if (is_markup_blank(bytes)) {
    blank_ = gap_ = true;
    if (last_ == Inlay::kNone) return;
    segment_.inlays[last_].blank_after = true;
    if (!seen_[last_].first_blank.ends_with(' ')) seen_[last_].first_blank += ' ';
    return;
  }
  if (last_ != Inlay::kNone && is_label(last_, text::code_point_at(bytes, 0).value))
    make_item(last_);
  if (gap_ && !text.empty() && !is_glued(text::code_point_at(bytes, 0).value)) text += ' ';
  text += bytes;
  if (text::has_words(bytes)) words_end_ = text.size();
  segment_.has_letters |= text::has_letters(bytes);
  blank_ = gap_ = false;
  last_ = Inlay::kNone;
}

/// Adds a no-break blank of a document that stands directly after an opening tag, where it is a
/// blank as any other for the model; returns false at other places.
bool SegmentBuilder::add_fixed_blank(std::string_view source) {
  if (!segment_.writing.is_document || last_ == Inlay::kNone ||
      segment_.inlays[last_].kind != Inlay::Kind::opening ||
      !segment_.inlays[last_].before.starts_with('<'))
    return false;
  blank_ = gap_ = true;
  segment_.inlays[last_].blank_after = true;
  seen_[last_].first_blank += source;
  return true;
}

/// Whether no blank belongs before this character though one has come: "Hello {name}, you" without
/// its item is "Hello, you", and "in (`a` or `b`)" is "in (or)".
bool SegmentBuilder::is_glued(char32_t c) const {
  if (last_ == Inlay::kNone) return false;
  const Inlay& inlay = segment_.inlays[last_];
  return inlay.kind == Inlay::Kind::item && !inlay.stands_in &&
         ((!blank_ && kGlued.find(c) != kGlued.npos) || is_after_bracket(inlay));
}

/// Whether the item stands directly after the bracket of a document.
bool SegmentBuilder::is_after_bracket(const Inlay& item) const {
  return segment_.writing.is_document && !item.blank_before && item.begin > 0 &&
         opens_bracket(text::value_before(segment_.text, item.begin));
}

std::size_t SegmentBuilder::add_inlay(Inlay::Kind kind, std::string_view bytes) {
  // "{a}{b}" is one item.
  if (kind == Inlay::Kind::item && !blank_ && last_ != Inlay::kNone &&
      last_ + 1 == segment_.inlays.size() && segment_.inlays[last_].kind == kind) {
    segment_.inlays[last_].before += bytes;
    seen_[last_].to = bytes_.size();
    return last_;
  }
  const std::size_t depth = std::min(open_.size(), kDeepestInlay);
  last_ = segment_.inlays.size();
  segment_.inlays.push_back({.kind = kind,
                             .before = std::string(bytes),
                             .begin = segment_.text.size(),
                             .parent = depth > 0 ? open_[depth - 1].inlay : Inlay::kNone,
                             .blank_before = blank_});
  seen_.push_back(
      {bytes_.size() - std::min(bytes_.size(), bytes.size()), bytes_.size(), gap_, words_end_});
  blank_ = false;
  join_items();
  return last_;
}

void SegmentBuilder::add_item(std::string_view bytes, bool has_stand_in) {
  Inlay& item = segment_.inlays[add_inlay(Inlay::Kind::item, bytes)];
  if (has_stand_in && !item.stands_in)
    stand_in(item, segment_.stand_ins + std::to_string(++names_));
}

/// Adds the name of an item, which is the last inlay, to the text.
void SegmentBuilder::stand_in(Inlay& item, const std::string& name) {
  std::string& text = segment_.text;
  if (gap_ && !text.empty()) text += ' ';
  item.begin = text.size();
  text += name;
  item.end = text.size();
  item.stands_in = true;
  blank_ = gap_ = false;
}

/// Makes one item of two with nothing but marks between them: the list "`a`, `b`, `c`" of a
/// document stays together.
void SegmentBuilder::join_items() {
  std::vector<Inlay>& all = segment_.inlays;
  if (!segment_.writing.is_document || all.size() < 2) return;
  Inlay& first = all[all.size() - 2];
  if (first.kind != Inlay::Kind::item || all.back().kind != Inlay::Kind::item ||
      first.parent != all.back().parent || has_words_from(first.begin))
    return;
  // Quotes around one of them, as in "'`a`' (`b`)", are its own, and so is a bracket whose other
  // half is not between them: that of "`a` (`b`)" and of "(see `a`), `b`".
  constexpr std::u32string_view kOpen = U"([{（［【", kClosed = U")]}）］】",
                                kQuotes = U"\"'“”„«»‘’‚‹›";
  int64_t brackets = 0;
  const bool has_quotes = text::any_code_point(
      std::string_view(segment_.text).substr(first.stands_in ? first.end : first.begin),
      [&](const text::CodePoint& point) {
        const auto is_of = [&](std::u32string_view marks) {
          return marks.find(point.value) != std::u32string_view::npos;
        };
        brackets += static_cast<int>(is_of(kOpen)) - static_cast<int>(is_of(kClosed));
        return is_of(kQuotes);
      });
  if (has_quotes || brackets != 0) return;
  Seen& seen = seen_[all.size() - 2];
  const Inlay& named = first.stands_in ? first : all.back();
  const std::string name =
      named.stands_in ? segment_.text.substr(named.begin, named.end - named.begin) : "";
  first.before += std::string_view(bytes_).substr(seen.to, seen_.back().to - seen.to);
  first.blank_after = false;
  seen.to = seen_.back().to;
  gap_ = seen.gap;
  segment_.text.resize(first.begin);
  all.pop_back();
  seen_.pop_back();
  last_ = all.size() - 1;
  if (first.stands_in) gap_ = false;  // the blank before the name is in the text
  if (!name.empty()) stand_in(first, name);
}

void SegmentBuilder::open(const Token& token, std::string_view tag) {
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
  const bool has_last_blank = blank_ && last_ != open_.back().inlay;
  const bool is_after_text = last_ == Inlay::kNone;
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
  if (!segment_.writing.is_document) return;
  inlay.blank_after = false;  // that was inside
  seen_[last_].to = bytes_.size();
  // A blank that is directly inside its tags stays there.
  std::string last_blank = has_last_blank ? " " : "";
  if (is_after_text && tag.starts_with('<') && last_blank_.size() > last_blank.size()) {
    // No-break blanks, which are in the text.
    last_blank = last_blank_;
    std::string& text = segment_.text;
    while (text.size() > inlay.begin && text::is_space(text::value_before(text, text.size())))
      text.resize(
          text.size() -
          text::encode_utf8(std::u32string(1, text::value_before(text, text.size()))).size());
    inlay.end = text.size();
    gap_ = true;
  }
  inlay.first_blank = seen_[last_].first_blank.size();
  inlay.before += seen_[last_].first_blank;
  inlay.last_blank = last_blank.size();
  inlay.after.insert(0, last_blank);
  // Marks around nothing but items, as in "**`code`**", are a part of the item.
  if (!has_words_from(inlay.begin) || is_note(last_)) make_item(last_);
}

/// Whether an element of a document has digits, and no letters or kept items.
bool SegmentBuilder::has_figures_alone(const Inlay& element) const {
  if (!segment_.writing.is_document || element.kind != Inlay::Kind::element ||
      !element.before.starts_with('<') || !segment_.staying.empty())
    return false;
  const std::string_view inside = std::string_view(segment_.text).substr(element.begin);
  return !text::has_letters(inside) && text::has_words(inside);
}

/// Whether an element, which ends here, is no word of its sentence: figures directly after a word,
/// like the note "[1]", or the version beside the name in a heading. In "H<sub>2</sub>O" they are a
/// part of the word; in scripts without blanks a number is a word by itself.
bool SegmentBuilder::is_note(std::size_t element) const {
  const Inlay& inlay = segment_.inlays[element];
  if (seen_[element].gap || !seen_[element].first_blank.empty() || inlay.begin == 0 ||
      !has_figures_alone(inlay) || inlay.before.starts_with("<sub") ||
      inlay.before.starts_with("<SUB"))
    return false;
  constexpr char32_t kFirstOfCjk = 0x3000;  // punctuation
  const char32_t before = text::value_before(segment_.text, inlay.begin);
  const bool has_marks =
      text::is_punctuation(text::code_point_at(segment_.text, inlay.begin).value);
  if (!has_marks && (before >= kFirstOfCjk || text::has_no_blanks(text::script_of(before))))
    return false;
  return text::is_in_word(before) || kGlued.find(before) != kGlued.npos;
}

/// Whether an element before this character is no word: figures like "1.2" before a heading.
bool SegmentBuilder::is_label(std::size_t element, char32_t next) const {
  const Inlay& inlay = segment_.inlays[element];
  if (blank_ || text::to_lower(next) == next || !has_figures_alone(inlay)) return false;
  bool has_marks = false;
  text::each_code_point(std::string_view(segment_.text).substr(inlay.begin),
                        [&](const text::CodePoint& point, std::string_view) {
                          has_marks |= text::is_punctuation(point.value);
                        });
  return has_marks;
}

/// Makes one item of an element that ends here, with all that is in it.
void SegmentBuilder::make_item(std::size_t element) {
  Inlay& inlay = segment_.inlays[element];
  std::string stand_in_inside;  // of the first item that has one
  for (auto inside = segment_.inlays.begin() + static_cast<std::ptrdiff_t>(element);
       inside != segment_.inlays.end() && stand_in_inside.empty(); ++inside)
    if (inside->stands_in)
      stand_in_inside = segment_.text.substr(inside->begin, inside->end - inside->begin);
  const Seen seen = seen_[element];
  gap_ = seen.gap;
  words_end_ = std::min(words_end_, seen.words_end);
  segment_.text.resize(inlay.begin);
  segment_.inlays.resize(element + 1);
  seen_.resize(element + 1);
  inlay = {.before = bytes_.substr(seen.from, seen.to - seen.from),
           .begin = inlay.begin,
           .parent = inlay.parent,
           .blank_before = inlay.blank_before};
  if (!stand_in_inside.empty()) stand_in(inlay, stand_in_inside);
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
  if (end == at || (at > 0 && !text::is_punctuation(text::value_before(text, at)))) return;
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
  const char32_t before = text::value_before(text, at);
  const text::CodePoint next = text::code_point_at(text, at);
  const std::size_t pair = kOpening.find(before);
  if (pair == kOpening.npos || kClosing[pair] != next.value) return false;
  const std::size_t bytes = text::encode_utf8(std::u32string(1, before)).size();
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
  return segment_.writing.written(marks);
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

}  // namespace heed::document
