#include "document/inlay_places.h"

#include <algorithm>
#include <set>
#include <utility>

#include "document/marks.h"
#include "text/characters.h"
#include "text/utf8.h"
#include "text/words.h"

namespace heed::document {
namespace {

constexpr std::size_t kNone = Inlay::kNone;
constexpr double kLeastShare = 0.2;  // least share of a word's attention to be a run of one
constexpr double kTie = 0.03;        // a difference in a word's attention that decides nothing

std::vector<PlacedWord> words_with_places(const std::string& text) {
  std::vector<PlacedWord> out;
  std::size_t at = 0;
  for (const std::string& word : text::words_in(text)) {
    at = text.find(word, at);
    PlacedWord& added = out.emplace_back(PlacedWord{at, at + word.size(), at, at});
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

}  // namespace

bool is_before_punctuation(const Segment& segment, const Inlay& inlay) {
  if (inlay.blank_after || inlay.end == segment.text.size()) return false;
  const std::size_t at = inlay.end + (segment.text[inlay.end] == ' ');  // after a blank
  return at < segment.text.size() &&
         text::is_punctuation(text::code_point_at(segment.text, at).value);
}

bool is_after_bracket(const Segment& segment, const Inlay& inlay) {
  return segment.writing.is_document && !inlay.blank_before && inlay.begin > 0 &&
         opens_bracket(text::value_before(segment.text, inlay.begin));
}

InlayPlaces::InlayPlaces(const Segment& segment, const std::string& translation,
                         const WordWeights& weights, const std::vector<FoundStandIn>& stand_ins)
    : segment_(segment),
      source_(words_with_places(segment.text)),
      target_(words_with_places(translation)) {
  std::set<std::size_t> is_found;
  for (const FoundStandIn& one : stand_ins) is_found.insert(one.inlay);
  add_up(balanced(with_stand_ins(weights, stand_ins)));
  nodes_.push_back({.source_end = source_.size(), .end = target_.size()});
  for (std::size_t i = 0; i < segment.inlays.size(); ++i) {
    const Inlay& inlay = segment.inlays[i];
    InlayNode node{.inlay = &inlay,
                   .source_begin = first_word(inlay.begin),
                   .source_end = first_word(inlay.end)};
    // The inlay is inside a word.
    if (node.source_begin == node.source_end && inlay.begin < inlay.end) {
      const auto inside = std::ranges::upper_bound(source_, inlay.begin, {}, &PlacedWord::end);
      node.source_begin = static_cast<std::size_t>(inside - source_.begin());
      node.source_end = std::min(node.source_begin + 1, source_.size());
    }
    if (!is_found.contains(i))
      nodes_[inlay.parent == kNone ? 0 : inlay.parent + 1].children.push_back(nodes_.size());
    nodes_.push_back(std::move(node));
  }
  if (!target_.empty()) place(nodes_[0]);
}

WordWeights InlayPlaces::with_stand_ins(WordWeights weights,
                                        const std::vector<FoundStandIn>& stand_ins) const {
  for (const FoundStandIn& one : stand_ins) {
    const auto word = std::ranges::upper_bound(target_, one.bytes.from, {}, &PlacedWord::end);
    const auto row = static_cast<std::size_t>(word - target_.begin());
    const std::size_t column = first_word(segment_.inlays[one.inlay].begin);
    if (word->first != one.bytes.from || word->last != one.bytes.to || column >= weights.columns)
      continue;
    const auto begin = weights.values.begin() + static_cast<std::ptrdiff_t>(row * weights.columns);
    std::fill_n(begin, weights.columns, 0.0);
    begin[static_cast<std::ptrdiff_t>(column)] = 1;
  }
  return weights;
}

void InlayPlaces::add_up(const WordWeights& weights) {
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

double InlayPlaces::attention(std::size_t row, const InlayNode& to) const {
  const std::size_t columns = aligned_.size();
  const double* const sums = &sums_[row * (columns + 1)];
  return sums[std::min(to.source_end, columns)] - sums[std::min(to.source_begin, columns)];
}

std::size_t InlayPlaces::aligned(std::size_t source) const {
  return source < aligned_.size() ? aligned_[source] : kNone;
}

std::size_t InlayPlaces::first_word(std::size_t byte) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(source_, byte, {}, &PlacedWord::first) -
                                  source_.begin());
}

void InlayPlaces::place(InlayNode& node) {
  std::vector<std::size_t> owner(target_.size(), kNone);  // by word: the child with this run
  for (const bool is_last_try : {false, true})
    for (const std::size_t i : node.children)
      if (InlayNode& child = nodes_[i]; !child.has_run() &&
                                        child.inlay->kind == Inlay::Kind::element &&
                                        child.source_begin < child.source_end) {
        is_last_try ? find_word(node, owner, child) : find_run(node, owner, child);
        std::fill(owner.begin() + static_cast<std::ptrdiff_t>(child.begin),
                  owner.begin() + static_cast<std::ptrdiff_t>(child.end), i);
        child.slot = 2 * child.begin;
      }
  std::size_t last_open = 0;  // the slot of the last tag without its other half
  for (const std::size_t i : node.children) {
    InlayNode& child = nodes_[i];
    if (child.has_run()) {
      place(child);
      continue;
    }
    const bool is_half =
        child.inlay->kind == Inlay::Kind::opening || child.inlay->kind == Inlay::Kind::closing;
    child.slot = outside(slot_of(child, node), i, owner);
    if (!is_half && !child.inlay->in_order) continue;
    if (child.slot < last_open) child.slot = last_open;
    last_open = child.slot;
  }
  std::ranges::stable_sort(node.children, {}, [&](std::size_t i) {
    return std::pair(nodes_[i].slot, nodes_[i].has_run());
  });
}

void InlayPlaces::find_run(const InlayNode& node, const std::vector<std::size_t>& owner,
                           InlayNode& child) const {
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

void InlayPlaces::find_word(const InlayNode& node, const std::vector<std::size_t>& owner,
                            InlayNode& child) const {
  double most = 0;
  for (std::size_t row = node.begin; row < node.end; ++row) {
    const double inside = attention(row, child);
    const bool is_enough = segment_.writing.is_document
                               ? !target_[row].is_punctuation()
                               : inside >= kLeastShare * attention(row, node);
    if (owner[row] != kNone || inside <= most || !is_enough) continue;
    most = inside;
    child.begin = row;
    child.end = row + 1;
  }
}

std::size_t InlayPlaces::slot_of(const InlayNode& child, const InlayNode& parent) const {
  const std::size_t first = 2 * parent.begin, last = 2 * parent.end - 1;
  if (child.source_begin <= parent.source_begin) return first;
  if (child.source_end >= parent.source_end || is_last(child, parent)) return last;
  const Inlay& inlay = *child.inlay;
  const bool precedes = inlay.kind == Inlay::Kind::opening || is_after_bracket(segment_, inlay) ||
                        (inlay.kind != Inlay::Kind::closing && inlay.blank_before &&
                         !inlay.blank_after && !is_before_punctuation(segment_, inlay));
  if (const std::size_t next = aligned(child.source_end); precedes && next != kNone)
    return std::clamp(2 * next, first, last);
  std::size_t word = std::min(child.source_begin, aligned_.size());
  for (; word > parent.source_begin; --word)
    if (aligned_[word - 1] != kNone) return std::clamp(2 * aligned_[word - 1] + 1, first, last);
  return first;
}

bool InlayPlaces::is_last(const InlayNode& child, const InlayNode& parent) const {
  return segment_.writing.is_document && child.inlay->kind == Inlay::Kind::item &&
         std::all_of(source_.begin() + static_cast<std::ptrdiff_t>(child.source_end),
                     source_.begin() + static_cast<std::ptrdiff_t>(parent.source_end),
                     [](const PlacedWord& word) { return word.is_punctuation(); });
}

std::size_t InlayPlaces::outside(std::size_t slot, std::size_t child,
                                 const std::vector<std::size_t>& owner) const {
  const std::size_t other = owner[slot / 2];
  if (other == kNone) return slot;
  const std::size_t first = 2 * nodes_[other].begin, last = 2 * nodes_[other].end - 1;
  return slot == first || slot == last ? slot : child < other ? first : last;
}

}  // namespace heed::document
