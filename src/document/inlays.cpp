#include "document/inlays.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "document/inlay_places.h"
#include "document/line_breaks.h"
#include "document/marks.h"
#include "document/stand_ins.h"
#include "document/token.h"
#include "text/characters.h"
#include "text/script.h"
#include "text/utf8.h"
#include "text/words.h"

namespace heed::document {
namespace {

/// Whether a blank belongs between an inlay and this character. An inlay that stood beside
/// punctuation must not become part of a word.
bool wants_blank(bool had_blank, bool had_punctuation, char32_t beside) {
  return had_blank ? !text::is_space(beside) : had_punctuation && text::is_in_word(beside);
}
/// Whether nothing but a blank or punctuation ends the item, an address.
bool is_bare_address(std::string_view item) {
  return std::ranges::any_of(std::array{"https://", "http://", "ftp://", "www."},
                             [&](const char* begin) { return item.starts_with(begin); });
}

/// Whether a letter would be a part of an address directly before it.
bool goes_on(char32_t letter) {
  return text::is_letter(letter) && !text::has_no_blanks(text::script_of(letter));
}

/// Whether what is at `at` would be a part of an address directly before it: a suffix.
bool goes_on(std::string_view text, std::size_t at) {
  return text::is_in_word(text::code_point_at(text, at).value) ||
         std::string_view("-/&=#").find(text[at]) != std::string_view::npos;
}

/// The letters and digits from this byte on, in scripts that have blanks.
std::string_view word_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size()) {
    const text::CodePoint point = text::code_point_at(text, end);
    if (!text::is_in_word(point.value) || text::has_no_blanks(text::script_of(point.value))) break;
    end += point.bytes;
  }
  return text.substr(at, end - at);
}

/// Writes a translation with its inlays at their places.
class InlayWriter {
 public:
  InlayWriter(const Segment& segment, const std::string& translation, const WordWeights& weights)
      : segment_(segment),
        translation_(translation),
        stand_ins_(find_stand_ins(segment, translation).found),
        places_(segment, translation, weights, stand_ins_) {
    if (segment.writing.is_document) lost_ = LostMarks(segment.text, translation);
  }

  std::string text() {
    write(places_.nodes()[0], translation_.size());
    std::string text = with_breaks(segment_, out_, inlays_, elements_);
    const auto beginning = segment_.writing.beginning;
    return beginning && beginning(segment_.raw) == segment_.raw ? beginning(text) : text;
  }

 private:
  /// The marks of a document's segment directly before and after an item.
  std::string_view marks_before(const Inlay& inlay) const {
    const std::string_view text = std::string_view(segment_.text).substr(0, inlay.begin);
    return inlay.blank_before ? "" : text.substr(text.size() - last_marks(text));
  }
  std::string_view marks_after(const Inlay& inlay) const {
    if (inlay.blank_after || inlay.end == segment_.text.size()) return "";
    const std::string_view text = std::string_view(segment_.text).substr(inlay.end);
    const std::string_view marks = text.substr(text[0] == ' ');  // after a blank
    return marks.substr(0, first_marks(marks));
  }

  /// The bytes of a run. Punctuation at its ends is left outside, unless the element has some there
  /// in the source.
  std::pair<std::size_t, std::size_t> bytes_of(const InlayNode& node) const {
    const Inlay& inlay = *node.inlay;
    const PlacedWord &front = places_.source()[node.source_begin],
                     &back = places_.source()[node.source_end - 1];
    const bool keeps_front = inlay.begin <= front.begin && front.first > front.begin,
               keeps_back = inlay.end >= back.end && back.last < back.end;
    std::size_t end = node.end;
    while (!keeps_back && end > node.begin + 1 && places_.target()[end - 1].is_punctuation()) --end;
    const PlacedWord &first = places_.target()[node.begin], &last = places_.target()[end - 1];
    return {keeps_front ? first.begin : first.first,
            keeps_back || last.is_punctuation() ? last.end : last.last};
  }

  /// The byte of the translation after those marks at `byte` that come before the inlay, too.
  std::size_t after_marks(const Inlay& inlay, std::size_t byte) const {
    const std::string_view before = std::string_view(segment_.text).substr(0, inlay.begin);
    for (const char c : before.substr(before.size() - last_marks(before))) {
      if (byte == translation_.size() || translation_[byte] != c) break;
      ++byte;
    }
    return byte;
  }

  /// The end of the translation for an inlay after its last word: before the stop, if the inlay is
  /// a word of a document's sentence that ends with one.
  std::size_t before_stop(const Inlay& inlay) const {
    const std::size_t stops = last_stops(segment_.text);
    const bool is_word = segment_.writing.is_document && inlay.kind == Inlay::Kind::item &&
                         inlay.blank_before && stops > 0 &&
                         inlay.end + stops <= segment_.text.size();
    return translation_.size() - (is_word ? last_stops(translation_) : 0);
  }

  std::size_t byte_of(const InlayNode& node) const {
    if (places_.target().empty()) return 0;
    const PlacedWord& word = places_.target()[node.slot / 2];
    if (node.slot % 2 == 0)
      return is_after_bracket(segment_, *node.inlay) ? word.first : word.begin;
    if (!is_before_punctuation(segment_, *node.inlay))
      return node.slot / 2 + 1 == places_.target().size() ? before_stop(*node.inlay) : word.end;
    return segment_.writing.is_document ? after_marks(*node.inlay, word.last) : word.last;
  }

  /// Writes the part of the translation from where it was written up to, to this byte.
  void copy(std::size_t end) {
    for (; next_ < stand_ins_.size() && stand_ins_[next_].bytes.from < end; ++next_) {
      copy_text(stand_ins_[next_].bytes.from);
      const std::string& item = segment_.inlays[stand_ins_[next_].inlay].before;
      const bool is_bare = is_bare_address(item);
      if (is_bare && out_.ends_with('-')) out_ += ' ';
      add(item);
      written_ = stand_ins_[next_].bytes.to;
      if (is_bare && written_ < translation_.size() && goes_on(translation_, written_)) out_ += ' ';
    }
    copy_text(end);
  }

  void copy_text(std::size_t end) {
    if (end <= written_) return;
    const std::string_view text = std::string_view(translation_).substr(written_, end - written_);
    out_ += segment_.writing.written(text);
    written_ = end;
  }

  void write(const InlayNode& node, std::size_t end) {
    for (const std::size_t i : node.children) {
      const InlayNode& child = places_.nodes()[i];
      if (!child.has_run()) {
        write_beside_words(child, end);
        continue;
      }
      const auto [first, last] = bytes_of(child);
      copy(std::min(first, end));
      const std::string before = with_first_blank(*child.inlay);
      const std::size_t element = elements_.size();
      elements_.push_back({{.from = out_.size()}, before, child.inlay->after});
      add(before);
      write(child, std::min(last, end));
      elements_[element].after = with_last_blank(*child.inlay);
      add(elements_[element].after);
      elements_[element].bytes.to = out_.size();
    }
    copy(end);
  }

  /// The opening tag of an element. The blank directly after it is taken from before it, where the
  /// translation has one.
  std::string with_first_blank(const Inlay& element) {
    std::string tag = element.before;
    if (element.first_blank == 0) return tag;
    const bool is_text = inlays_.empty() || inlays_.back().to < out_.size();
    if (out_.empty() ? element.begin > 0 : !is_text || !out_.ends_with(' '))
      tag.resize(tag.size() - element.first_blank);
    else if (!out_.empty() && !element.blank_before)
      out_.pop_back();
    return tag;
  }

  /// The closing tag. The blank directly before it is taken from after it.
  std::string with_last_blank(const Inlay& element) {
    std::string tag = element.after;
    if (element.last_blank == 0) return tag;
    const bool is_at_end = written_ == translation_.size();
    if (is_at_end ? element.end < segment_.text.size() : translation_[written_] != ' ')
      tag.erase(0, element.last_blank);
    else if (!is_at_end && !element.blank_after)
      ++written_;
    return tag;
  }

  /// Writes an inlay without a run, with the words of the translation before it.
  void write_beside_words(const InlayNode& node, std::size_t end) {
    const Inlay& inlay = *node.inlay;
    if (inlay.needs_words && node.children.empty()) return;
    copy(std::min(byte_of(node), end));
    if (!out_.ends_with(' ')) out_ += lost_.last_of(marks_before(inlay));
    const bool is_after_punctuation =
        inlay.begin > 0 && !text::is_in_word(text::value_before(segment_.text, inlay.begin));
    if (!out_.empty() && wants_blank(inlay.blank_before, is_after_punctuation,
                                     text::value_before(out_, out_.size())))
      out_ += ' ';
    write_whole(node);
    const char32_t next = written_ < end ? text::code_point_at(translation_, written_).value : U' ';
    if (!text::is_punctuation(next)) out_ += lost_.first_of(marks_after(inlay));
    if (is_blank_too_many(inlay, end)) ++written_;
    const bool is_at_stop =
        segment_.writing.is_document && written_ + last_stops(translation_) == translation_.size();
    if (written_ < end &&
        (wants_blank(inlay.blank_after && !is_at_stop, is_before_punctuation(segment_, inlay),
                     next) ||
         is_before_other_word(inlay) || (is_bare_address(inlay.before) && goes_on(next))))
      out_ += ' ';
  }

  /// Whether an item of a document that stood directly before letters, as in "`item`s", would be
  /// glued to others here. A capital begins no ending: after "<span>1.2</span>" comes a heading.
  bool is_before_other_word(const Inlay& inlay) const {
    if (!segment_.writing.is_document || inlay.kind != Inlay::Kind::item || inlay.blank_after)
      return false;
    const std::string_view was = word_at(segment_.text, inlay.end),
                           now = word_at(translation_, written_);
    if (was.empty() || now.empty() || was == now) return false;
    const char32_t first = text::code_point_at(was, 0).value;
    return text::to_lower(first) == first;
  }

  /// Whether the translation of a document has a blank here, and then a mark that stood directly
  /// after the item.
  bool is_blank_too_many(const Inlay& inlay, std::size_t end) const {
    return segment_.writing.is_document && written_ + 1 < end && translation_[written_] == ' ' &&
           is_before_punctuation(segment_, inlay) &&
           text::is_punctuation(text::code_point_at(translation_, written_ + 1).value);
  }

  /// Writes an inlay without a run, and its children.
  void write_whole(const InlayNode& node) {
    if (!node.inlay->needs_words) add(node.inlay->before);
    for (const std::size_t i : node.children) write_whole(places_.nodes()[i]);
    if (!node.inlay->needs_words) add(node.inlay->after);
  }

  void add(const std::string& bytes) {
    inlays_.push_back({out_.size(), out_.size() + bytes.size()});
    out_ += bytes;
  }

  const Segment& segment_;
  const std::string& translation_;
  std::vector<FoundStandIn> stand_ins_;
  InlayPlaces places_;
  LostMarks lost_;
  std::size_t next_ = 0;  // index of the first stand-in whose item is not written
  std::string out_;
  std::vector<ByteRange> inlays_;         // bytes of out_
  std::vector<WrittenElement> elements_;  // in the order of their beginnings
  std::size_t written_ = 0;               // bytes of the translation that are written
};

/// The translation of a part of a sentence, of which a model makes a sentence: without a stop at
/// its end where the segment has no punctuation there.
std::string without_stop(const Segment& segment, const std::string& translation) {
  if (last_marks(segment.text) > 0 || !translation.ends_with('.') || translation.ends_with(".."))
    return translation;
  return translation.substr(0, translation.size() - 1);
}

}  // namespace

std::string with_inlays(const Segment& segment, const std::string& translation,
                        const WordWeights& weights) {
  if (translation == segment.text || (segment.writing.is_document && text::is_blank(translation)))
    return segment.raw;
  const std::string written =
      segment.tag.empty() ? translation : without_stop(segment, translation);
  return InlayWriter(segment, written, weights).text();
}

}  // namespace heed::document
