#include "decode/search/text_finder.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace heed::decode {
namespace {

/// The character of a text that is so far from its end.
char32_t from_end(const std::u32string& text, std::size_t depth) {
  return text[text.size() - 1 - depth];
}

}  // namespace

TextFinder::TextFinder(std::span<const std::u32string> texts) {
  // Sorted from their ends, the texts of a node follow each other.
  std::vector<uint32_t> sorted(texts.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  std::ranges::sort(sorted, [&](uint32_t a, uint32_t b) {
    return std::ranges::lexicographical_compare(texts[a].rbegin(), texts[a].rend(),
                                                texts[b].rbegin(), texts[b].rend());
  });
  for (const std::u32string& text : texts) lengths_.push_back(static_cast<uint32_t>(text.size()));
  struct Range {
    std::size_t begin, end, depth;  // of `sorted`; characters that these texts share
  };
  std::vector<Range> ranges = {{0, sorted.size(), 0}};
  nodes_.emplace_back();
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    auto [begin, end, depth] = ranges[node];
    nodes_[node].first_child = static_cast<uint32_t>(nodes_.size());
    if (begin < end && texts[sorted[begin]].size() == depth) {
      if (depth > 0) nodes_[node].text = sorted[begin];
      ++begin;
    }
    while (begin < end) {
      const char32_t character = from_end(texts[sorted[begin]], depth);
      std::size_t same = begin + 1;
      while (same < end && from_end(texts[sorted[same]], depth) == character) ++same;
      nodes_.push_back({.character = character});
      ranges.push_back({begin, same, depth + 1});
      begin = same;
    }
  }
  nodes_.push_back({.first_child = static_cast<uint32_t>(nodes_.size())});
  std::size_t steps = 0;
  // The fallback of a child is found by that of its parent, which is less deep.
  for (uint32_t parent = 0; parent + 1 < nodes_.size(); ++parent)
    for (uint32_t node = nodes_[parent].first_child; node < nodes_[parent + 1].first_child;
         ++node) {
      if (parent != kRoot)
        nodes_[node].fallback = step(nodes_[parent].fallback, nodes_[node].character, steps);
      const FinderNode& fallback = nodes_[nodes_[node].fallback];
      nodes_[node].next_text = fallback.text != kNone ? nodes_[node].fallback : fallback.next_text;
    }
}

uint32_t TextFinder::child(uint32_t node, char32_t character) const {
  const auto begin = nodes_.begin() + nodes_[node].first_child;
  const auto end = nodes_.begin() + nodes_[node + 1].first_child;
  const auto at = std::ranges::lower_bound(begin, end, character, {}, &FinderNode::character);
  return at != end && at->character == character ? static_cast<uint32_t>(at - nodes_.begin())
                                                 : kRoot;
}

uint32_t TextFinder::step(uint32_t node, char32_t character, std::size_t& steps) const {
  for (;; node = nodes_[node].fallback) {
    ++steps;
    const uint32_t next = child(node, character);
    if (next != kRoot || node == kRoot) return next;
  }
}

std::size_t TextFinder::find(std::u32string_view line, const Found& found) const {
  std::size_t steps = 0;
  uint32_t node = kRoot;
  for (std::size_t begin = line.size(); begin-- > 0;) {
    node = step(node, line[begin], steps);
    uint32_t at = nodes_[node].text != kNone ? node : nodes_[node].next_text;
    for (; at != kRoot; at = nodes_[at].next_text) {
      ++steps;
      if (!found(begin, begin + lengths_[nodes_[at].text], nodes_[at].text)) break;
    }
  }
  return steps;
}

}  // namespace heed::decode
