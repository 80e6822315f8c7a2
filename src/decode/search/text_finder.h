// Finds many texts in a line at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed::decode {

/// Finds the texts of a list in lines, however many and however long they are: the steps grow with
/// the line, not with the texts (Aho and Corasick 1975). A line is read from its end, so that at
/// each position those texts are known that begin there.
class TextFinder {
 public:
  /// What is done with a text that begins at a position: its number among the texts, and where it
  /// ends in the line. Returns whether shorter texts that begin there are wanted, too.
  using Found = std::function<bool(std::size_t begin, std::size_t end, std::size_t number)>;

  TextFinder() : TextFinder(std::span<const std::u32string>()) {}
  /// No two of the texts are equal; an empty one is never found.
  explicit TextFinder(std::span<const std::u32string> texts);

  /// Calls `found` for all texts in a line: from the last position to the first, at each one the
  /// longest text first. Returns how many steps in the graph this took: at most two for each
  /// position, and one for each call.
  std::size_t find(std::u32string_view line, const Found& found) const;

 private:
  static constexpr uint32_t kRoot = 0, kNone = UINT32_MAX;

  /// A node stands for the end of a text, from some position on. Nodes are in the order of their
  /// depths, and those with one parent follow each other in the order of their characters.
  struct FinderNode {
    char32_t character = 0;      // the first one of what the node stands for
    uint32_t first_child = 0;    // the children end where those of the next node begin
    uint32_t fallback = kRoot;   // the node of the longest text that this one begins with
    uint32_t text = kNone;       // the text that this node is
    uint32_t next_text = kRoot;  // the longest beginning of this node that is a text, or the root
  };

  uint32_t child(uint32_t node, char32_t character) const;  // kRoot where there is none
  uint32_t step(uint32_t node, char32_t character, std::size_t& steps) const;

  std::vector<FinderNode> nodes_;  // and one at the end, for the children of the last
  std::vector<uint32_t> lengths_;  // of each text, in code points
};

}  // namespace heed::decode
