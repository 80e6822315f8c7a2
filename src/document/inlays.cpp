#include "document/inlays.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "document/line_breaks.h"
#include "document/marks.h"
#include "document/token.h"
#include "text/characters.h"
#include "text/references.h"
#include "text/script.h"
#include "text/utf8.h"
#include "text/words.h"

namespace heed::document {
namespace {

constexpr std::size_t kNone = Inlay::kNone;
constexpr double kLeastShare = 0.2;  // least share of a word's attention to be a run of one
constexpr double kTie = 0.03;        // a difference in a word's attention that decides nothing

/// The cubes of the weights, because many small weights say less than a large one, scaled so that
/// the weights of each word of the translation sum to 1, and those of each source word to about the
/// same (Sinkhorn and Knopp 1967): a word that gets less attention than its neighbours, like many
/// function words, is aligned, too. The rounds are few, because a word may be translated by
/// several, and a word that hardly any word attends to should stay small.
WordWeights balanced(WordWeights weights) {
  constexpr int kRounds = 8;
  constexpr double kHardlyAny = 0.001, kTiny = 1e-30;
  std::vector<double> scales(weights.columns, 1);
  for (double& value : weights.values) value = value * value * value;
  for (int round = 0; round <= kRounds; ++round) {
    std::vector<double> sums(weights.columns, kHardlyAny);
    for (auto row = weights.values.begin(); row != weights.values.end(); row += scales.size()) {
      const double sum = std::inner_product(scales.begin(), scales.end(), row, kTiny);
      for (std::size_t column = 0; column < sums.size(); ++column)
        if (round < kRounds)
          sums[column] += row[column] / sum;
        else
          row[column] *= scales[column] / sum;
    }
    std::ranges::transform(sums, scales.begin(), [](double sum) { return 1 / sum; });
  }
  return weights;
}

/// A word as bytes [begin, end) of a text.
struct Word {
  std::size_t begin = 0, end = 0;
  std::size_t first = 0, last = 0;  // without punctuation at both ends

  bool is_punctuation() const { return first == last; }
};

std::vector<Word> words_with_places(const std::string& text) {
  std::vector<Word> out;
  std::size_t at = 0;
  for (const std::string& word : text::words_in(text)) {
    at = text.find(word, at);
    Word& added = out.emplace_back(Word{at, at + word.size(), at, at});
    for (std::size_t i = 0; i < word.size();) {
      const text::CodePoint point = text::code_point_at(word, i);
      const bool is_first = added.is_punctuation();
      if (!text::is_punctuation(point.value)) {
        if (is_first) added.first = at + i;
        added.last = at + i + point.bytes;
      }
      i += point.bytes;
    }
    at += word.size();
  }
  return out;
}

/// Whether a blank belongs between an inlay and this character. An inlay that stood beside
/// punctuation must not become part of a word.
bool wants_blank(bool had_blank, bool had_punctuation, char32_t beside) {
  return had_blank ? beside != U' ' : had_punctuation && text::is_in_word(beside);
}

/// A stand-in as bytes of a translation.
struct FoundStandIn {
  ByteRange bytes;
  std::size_t inlay = 0;
};

/// The first of each stand-in in a translation, in order; `are_once`: each is there, and once.
struct FoundStandIns {
  std::vector<FoundStandIn> found;
  bool are_once = true;
};

FoundStandIns find_stand_ins(const Segment& segment, const std::string& translation) {
  FoundStandIns out;
  if (segment.stand_ins == 0) return out;
  std::map<std::string, std::size_t, std::less<>> inlays;  // by number; those not found yet
  std::set<std::string, std::less<>> found;
  for (std::size_t i = 0; i < segment.inlays.size(); ++i)
    if (const Inlay& inlay = segment.inlays[i]; inlay.stands_in)
      inlays.emplace(segment.text.substr(inlay.begin + 1, inlay.end - inlay.begin - 1), i);
  const std::string upper(1, segment.stand_ins), letters = upper + ascii_lower(upper);
  for (std::size_t at = 0; (at = translation.find_first_of(letters, at)) != std::string::npos;) {
    const std::size_t from = at++;
    const std::size_t to =
        std::min(translation.find_first_not_of("0123456789", at), translation.size());
    const char32_t before = text::value_before(translation, from);
    if (text::is_in_word(before) && !text::has_no_blanks(text::script_of(before))) continue;
    const std::string number = translation.substr(at, to - at);
    at = to;
    if (const auto inlay = inlays.find(number); inlay != inlays.end()) {
      out.found.push_back({{from, to}, inlay->second});
      inlays.erase(inlay);
      found.insert(number);
    } else if (found.contains(number)) {
      out.are_once = false;
    }
  }
  out.are_once &= inlays.empty();
  return out;
}

/// The number at `at`: a run of digits, without the marks or blanks between thousands, which
/// languages write in different ways.
struct FoundNumber {
  std::string digits;
  std::size_t end = 0;
};

FoundNumber number_at(std::string_view text, std::size_t at) {
  constexpr std::string_view kDigits = "0123456789";
  constexpr std::size_t kGroup = 3;
  FoundNumber out{.end = at};
  for (std::size_t from = at;;) {
    const std::size_t to = std::min(text.find_first_not_of(kDigits, from), text.size());
    if (from > at && to - from != kGroup) return out;
    out.digits += text.substr(from, to - from);
    out.end = to;
    from = to;
    for (const std::string_view mark : {".", ",", "'", "’", " ", "\u00A0", "\u202F"})
      if (text.substr(to).starts_with(mark)) from = to + mark.size();
    if (from == to) return out;
  }
}

/// Whether a name may not begin after this character, or end before it.
bool is_part_of_name(char32_t beside) {
  return text::is_in_word(beside) && !text::has_no_blanks(text::script_of(beside));
}

/// How often a text has each thing that may be what a model has left of a stand-in: numbers, words
/// that are a letter with digits, and the letter of the stand-ins as a word. The stand-ins that are
/// found are not counted. A small letter alone may be a word of the language.
std::map<std::string, int64_t> remains_in(const std::string& text, char letter,
                                          const std::vector<FoundStandIn>& found) {
  std::map<std::string, int64_t> out;
  auto next = found.begin();
  for (std::size_t at = 0; at < text.size();) {
    if (next != found.end() && next->bytes.from == at) {
      at = (next++)->bytes.to;
      continue;
    }
    if (text[at] >= '0' && text[at] <= '9') {
      const FoundNumber number = number_at(text, at);
      ++out[number.digits];
      at = number.end;
      continue;
    }
    const text::CodePoint point = text::code_point_at(text, at);
    const std::size_t end = at + point.bytes;
    if (point.bytes == 1 && text::is_letter(point.value) &&
        !is_part_of_name(text::value_before(text, at))) {
      const std::size_t digits_end =
          std::min(text.find_first_not_of("0123456789", end), text.size());
      const bool is_alone =
          end == text.size() || !is_part_of_name(text::code_point_at(text, end).value);
      if (digits_end > end) {
        ++out[ascii_lower(text.substr(at, digits_end - at))];
        at = digits_end;
        continue;
      }
      if (text[at] == letter && is_alone) ++out[std::string(1, letter)];
    }
    at = end;
  }
  return out;
}

/// Whether nothing but a blank or punctuation ends the item, an address.
bool is_bare_address(std::string_view item) {
  return std::ranges::any_of(std::array{"https://", "http://", "ftp://", "www."},
                             [&](const char* begin) { return item.starts_with(begin); });
}

/// Whether what is at `at` would be a part of an address directly before it: a suffix.
bool goes_on(std::string_view text, std::size_t at) {
  return text::is_in_word(text::code_point_at(text, at).value) ||
         std::string_view("-/&=#").find(text[at]) != std::string_view::npos;
}

/// An inlay, or the whole segment, while it is put into the translation.
struct Node {
  const Inlay* inlay = nullptr;                  // none: the segment
  std::size_t source_begin = 0, source_end = 0;  // source words inside it
  std::size_t begin = 0, end = 0;                // words of the translation: the run
  std::vector<std::size_t> children = {};        // in the order of the source
  // Where it stands: 2 * word is before the word, 2 * word + 1 after it. A run has the slot of its
  // beginning.
  std::size_t slot = 0;

  bool has_run() const { return begin < end; }
};

class Placer {
 public:
  Placer(const Segment& segment, const std::string& translation, const WordWeights& weights)
      : segment_(segment),
        translation_(translation),
        source_(words_with_places(segment.text)),
        target_(words_with_places(translation)) {
    if (segment.writing.is_document) lost_ = LostMarks(segment.text, translation);
    stand_ins_ = find_stand_ins(segment, translation).found;
    std::set<std::size_t> is_found;
    for (const FoundStandIn& one : stand_ins_) is_found.insert(one.inlay);
    add_up(balanced(with_stand_ins(weights)));
    nodes_.push_back({.source_end = source_.size(), .end = target_.size()});
    for (std::size_t i = 0; i < segment.inlays.size(); ++i) {
      const Inlay& inlay = segment.inlays[i];
      Node node{.inlay = &inlay,
                .source_begin = first_word(inlay.begin),
                .source_end = first_word(inlay.end)};
      // The inlay is inside a word.
      if (node.source_begin == node.source_end && inlay.begin < inlay.end) {
        const auto inside = std::ranges::upper_bound(source_, inlay.begin, {}, &Word::end);
        node.source_begin = static_cast<std::size_t>(inside - source_.begin());
        node.source_end = std::min(node.source_begin + 1, source_.size());
      }
      if (!is_found.contains(i))
        nodes_[inlay.parent == kNone ? 0 : inlay.parent + 1].children.push_back(nodes_.size());
      nodes_.push_back(std::move(node));
    }
    if (!target_.empty()) place(nodes_[0]);
  }

  std::string text() {
    write(nodes_[0], translation_.size());
    return with_breaks(segment_, out_, inlays_, elements_);
  }

 private:
  /// The weights with those of each word of the translation that is a stand-in all at the word that
  /// it is in the source.
  WordWeights with_stand_ins(WordWeights weights) const {
    for (const FoundStandIn& one : stand_ins_) {
      const auto word = std::ranges::upper_bound(target_, one.bytes.from, {}, &Word::end);
      const auto row = static_cast<std::size_t>(word - target_.begin());
      const std::size_t column = first_word(segment_.inlays[one.inlay].begin);
      if (word->first != one.bytes.from || word->last != one.bytes.to || column >= weights.columns)
        continue;
      const auto begin =
          weights.values.begin() + static_cast<std::ptrdiff_t>(row * weights.columns);
      std::fill_n(begin, weights.columns, 0.0);
      begin[static_cast<std::ptrdiff_t>(column)] = 1;
    }
    return weights;
  }

  /// Computes sums_ over columns, and aligned_, the row of the largest weight of each column.
  void add_up(const WordWeights& weights) {
    const std::size_t columns = weights.columns;
    sums_.assign(target_.size() * (columns + 1), 0);
    aligned_.assign(columns, kNone);
    for (std::size_t column = 0; column < columns; ++column) {
      double most = 0;
      for (std::size_t row = 0; row < target_.size(); ++row) {
        const double weight = weights.values[row * columns + column];
        double* const sum = &sums_[row * (columns + 1) + column];
        sum[1] = sum[0] + weight;
        if (weight <= most) continue;
        most = weight;
        aligned_[column] = row;
      }
    }
  }

  double attention(std::size_t row, const Node& to) const {
    const std::size_t columns = aligned_.size();
    const double* const sums = &sums_[row * (columns + 1)];
    return sums[std::min(to.source_end, columns)] - sums[std::min(to.source_begin, columns)];
  }

  /// The word of the translation that attends most to a source word.
  std::size_t aligned(std::size_t source) const {
    return source < aligned_.size() ? aligned_[source] : kNone;
  }

  /// The first source word whose letters begin at or after this byte.
  std::size_t first_word(std::size_t byte) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(source_, byte, {}, &Word::first) -
                                    source_.begin());
  }

  /// Finds runs and slots for the children of a node that has a run.
  void place(Node& node) {
    std::vector<std::size_t> owner(target_.size(), kNone);  // by word: the child with this run
    for (const bool is_last_try : {false, true})
      for (const std::size_t i : node.children)
        if (Node& child = nodes_[i]; !child.has_run() &&
                                     child.inlay->kind == Inlay::Kind::element &&
                                     child.source_begin < child.source_end) {
          is_last_try ? find_word(node, owner, child) : find_run(node, owner, child);
          std::fill(owner.begin() + static_cast<std::ptrdiff_t>(child.begin),
                    owner.begin() + static_cast<std::ptrdiff_t>(child.end), i);
          child.slot = 2 * child.begin;
        }
    std::size_t last_open = 0;  // the slot of the last tag without its other half
    for (const std::size_t i : node.children) {
      Node& child = nodes_[i];
      if (child.has_run()) {
        place(child);
        continue;
      }
      const bool is_half =
          child.inlay->kind == Inlay::Kind::opening || child.inlay->kind == Inlay::Kind::closing;
      child.slot = outside(slot_of(child, node), i, owner);
      if (!is_half) continue;
      if (child.slot < last_open) child.slot = last_open;
      last_open = child.slot;
    }
    std::ranges::stable_sort(node.children, {}, [&](std::size_t i) {
      return std::pair(nodes_[i].slot, nodes_[i].has_run());
    });
  }

  /// The words that together attend most to what is inside the child rather than beside it.
  void find_run(const Node& node, const std::vector<std::size_t>& owner, Node& child) const {
    double sum = 0, most = 0;
    std::size_t begin = node.begin;
    for (std::size_t row = node.begin; row < node.end; ++row) {
      const double gain = 2 * attention(row, child) - attention(row, node);
      sum += gain;
      if (owner[row] != kNone || (row == begin ? gain <= 0 : sum < -kTie)) {
        sum = 0;
        begin = row + 1;
      } else if (sum > most + kTie) {
        most = sum;
        child.begin = begin;
        child.end = row + 1;
      }
    }
  }

  /// Makes a run of the one word that attends most to the inside of the child. Marks of emphasis
  /// take any word that has letters, for without one they would be lost.
  void find_word(const Node& node, const std::vector<std::size_t>& owner, Node& child) const {
    double most = 0;
    for (std::size_t row = node.begin; row < node.end; ++row) {
      const double inside = attention(row, child);
      const bool is_enough = child.inlay->needs_words
                                 ? !target_[row].is_punctuation()
                                 : inside >= kLeastShare * attention(row, node);
      if (owner[row] != kNone || inside <= most || !is_enough) continue;
      most = inside;
      child.begin = row;
      child.end = row + 1;
    }
  }

  /// The slot of a child without a run, in the run of its parent.
  std::size_t slot_of(const Node& child, const Node& parent) const {
    const std::size_t first = 2 * parent.begin, last = 2 * parent.end - 1;
    if (child.source_begin <= parent.source_begin) return first;
    if (child.source_end >= parent.source_end || is_last(child, parent)) return last;
    const Inlay& inlay = *child.inlay;
    const bool precedes = inlay.kind == Inlay::Kind::opening || is_after_bracket(inlay) ||
                          (inlay.kind != Inlay::Kind::closing && inlay.blank_before &&
                           !inlay.blank_after && !is_before_punctuation(inlay));
    if (const std::size_t next = aligned(child.source_end); precedes && next != kNone)
      return std::clamp(2 * next, first, last);
    std::size_t word = std::min(child.source_begin, aligned_.size());
    for (; word > parent.source_begin; --word)
      if (aligned_[word - 1] != kNone) return std::clamp(2 * aligned_[word - 1] + 1, first, last);
    return first;
  }

  /// Whether nothing but punctuation comes after the item of a document in its element.
  bool is_last(const Node& child, const Node& parent) const {
    return segment_.writing.is_document && child.inlay->kind == Inlay::Kind::item &&
           std::all_of(source_.begin() + static_cast<std::ptrdiff_t>(child.source_end),
                       source_.begin() + static_cast<std::ptrdiff_t>(parent.source_end),
                       [](const Word& word) { return word.is_punctuation(); });
  }

  /// The slot, or the nearest one outside the run of a child that it would cut.
  std::size_t outside(std::size_t slot, std::size_t child,
                      const std::vector<std::size_t>& owner) const {
    const std::size_t other = owner[slot / 2];
    if (other == kNone) return slot;
    const std::size_t first = 2 * nodes_[other].begin, last = 2 * nodes_[other].end - 1;
    return slot == first || slot == last ? slot : child < other ? first : last;
  }

  bool is_before_punctuation(const Inlay& inlay) const {
    if (inlay.blank_after || inlay.end == segment_.text.size()) return false;
    const std::size_t at = inlay.end + (segment_.text[inlay.end] == ' ');  // after a blank
    return at < segment_.text.size() &&
           text::is_punctuation(text::code_point_at(segment_.text, at).value);
  }

  /// Whether a bracket of a document stands directly before the inlay: it is before the next word.
  bool is_after_bracket(const Inlay& inlay) const {
    return segment_.writing.is_document && !inlay.blank_before && inlay.begin > 0 &&
           opens_bracket(text::value_before(segment_.text, inlay.begin));
  }

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
  std::pair<std::size_t, std::size_t> bytes_of(const Node& node) const {
    const Inlay& inlay = *node.inlay;
    const Word &front = source_[node.source_begin], &back = source_[node.source_end - 1];
    const bool keeps_front = inlay.begin <= front.begin && front.first > front.begin,
               keeps_back = inlay.end >= back.end && back.last < back.end;
    std::size_t end = node.end;
    while (!keeps_back && end > node.begin + 1 && target_[end - 1].is_punctuation()) --end;
    const Word &first = target_[node.begin], &last = target_[end - 1];
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

  std::size_t byte_of(const Node& node) const {
    if (target_.empty()) return 0;
    const Word& word = target_[node.slot / 2];
    if (node.slot % 2 == 0) return is_after_bracket(*node.inlay) ? word.first : word.begin;
    if (!is_before_punctuation(*node.inlay)) return word.end;
    return segment_.writing.is_document ? after_marks(*node.inlay, word.last) : word.last;
  }

  /// Writes the part of the translation from where it was written up to, to this byte.
  void copy(std::size_t end) {
    for (; next_ < stand_ins_.size() && stand_ins_[next_].bytes.from < end; ++next_) {
      copy_text(stand_ins_[next_].bytes.from);
      const std::string& item = segment_.inlays[stand_ins_[next_].inlay].before;
      written_ = stand_ins_[next_].bytes.to;
      const bool is_bare = is_bare_address(item);
      if (is_bare && out_.ends_with('-')) out_ += ' ';
      add(item);
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

  void write(const Node& node, std::size_t end) {
    for (const std::size_t i : node.children) {
      const Node& child = nodes_[i];
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
    if (!segment_.writing.is_document || !tag.ends_with(' ')) return tag;
    const bool is_text = inlays_.empty() || inlays_.back().to < out_.size();
    if (out_.empty() ? element.begin > 0 : !is_text || !out_.ends_with(' '))
      tag.pop_back();
    else if (!out_.empty() && !element.blank_before)
      out_.pop_back();
    return tag;
  }

  /// The closing tag. The blank directly before it is taken from after it.
  std::string with_last_blank(const Inlay& element) {
    std::string tag = element.after;
    if (!segment_.writing.is_document || !tag.starts_with(' ')) return tag;
    const bool is_at_end = written_ == translation_.size();
    if (is_at_end ? element.end < segment_.text.size() : translation_[written_] != ' ')
      tag.erase(0, 1);
    else if (!is_at_end && !element.blank_after)
      ++written_;
    return tag;
  }

  /// Writes an inlay without a run, with the words of the translation before it.
  void write_beside_words(const Node& node, std::size_t end) {
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
    if (written_ < end && wants_blank(inlay.blank_after, is_before_punctuation(inlay), next))
      out_ += ' ';
  }

  /// Whether the translation of a document has a blank here, and then a mark that stood directly
  /// after the item.
  bool is_blank_too_many(const Inlay& inlay, std::size_t end) const {
    return segment_.writing.is_document && written_ + 1 < end && translation_[written_] == ' ' &&
           is_before_punctuation(inlay) &&
           text::is_punctuation(text::code_point_at(translation_, written_ + 1).value);
  }

  /// Writes an inlay without a run, and its children.
  void write_whole(const Node& node) {
    if (!node.inlay->needs_words) add(node.inlay->before);
    for (const std::size_t i : node.children) write_whole(nodes_[i]);
    if (!node.inlay->needs_words) add(node.inlay->after);
  }

  void add(const std::string& bytes) {
    inlays_.push_back({out_.size(), out_.size() + bytes.size()});
    out_ += bytes;
  }

  const Segment& segment_;
  const std::string& translation_;
  std::vector<Word> source_, target_;
  std::vector<double> sums_;          // [target, source + 1]
  std::vector<std::size_t> aligned_;  // [source]
  std::vector<Node> nodes_;           // the segment, and its inlays
  LostMarks lost_;
  std::vector<FoundStandIn> stand_ins_;
  std::size_t next_ = 0;  // index of the first stand-in whose item is not written
  std::string out_;
  std::vector<ByteRange> inlays_;         // bytes of out_
  std::vector<WrittenElement> elements_;  // in the order of their beginnings
  std::size_t written_ = 0;               // bytes of the translation that are written
};

}  // namespace

WordWeights diagonal_weights(std::size_t rows, std::size_t columns) {
  WordWeights out{columns, std::vector<double>(rows * columns)};
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < columns; ++column) {
      const double begin = std::max<double>(row * columns, column * rows),
                   end = std::min<double>((row + 1) * columns, (column + 1) * rows);
      out.values[row * columns + column] = std::max(end - begin, 0.0) / columns;
    }
  return out;
}

bool has_stand_ins(const Segment& segment, const std::string& translation) {
  if (segment.stand_ins == 0) return true;
  const FoundStandIns names = find_stand_ins(segment, translation);
  if (!names.are_once) return false;
  const auto of_source =
      remains_in(segment.text, segment.stand_ins, find_stand_ins(segment, segment.text).found);
  const auto of_translation = remains_in(translation, segment.stand_ins, names.found);
  return std::ranges::all_of(of_translation, [&](const auto& one) {
    const auto& [remain, count] = one;
    const auto same = of_source.find(remain);
    return same != of_source.end() && count <= same->second;
  });
}

std::string with_inlays(const Segment& segment, const std::string& translation,
                        const WordWeights& weights) {
  if (translation == segment.text || (segment.writing.is_document && text::is_blank(translation)))
    return segment.raw;
  std::string text = Placer(segment, translation, weights).text();
  return segment.writing.finished ? segment.writing.finished(text) : text;
}

}  // namespace heed::document
