// Byte pair encoding as subword-nmt and fastBPE apply it: from their files of codes. Inside text/
// only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace heed::text {

/// The merges of a file of codes, and how words are cut by them (Sennrich et al. 2016). Unlike
/// SentencePiece's, a merge is of two pieces and not of any text that makes its piece, and the last
/// letter of a word is another piece than the same letter inside.
///
/// The files: subword-nmt's version 0.2 (`#version: 0.2`, then two pieces on each line), its older
/// 0.1 without a header, in which the end of a word is a piece by itself, and fastBPE's, which have
/// a third column, the count, and are applied like 0.2.
class BpeCodes {
 public:
  /// Whether the vocabulary has a piece; `is_last`: at the end of its word.
  using Knows = std::function<bool(std::string_view piece, bool is_last)>;

  /// Reads the text of a file, which messages call `name`. Throws UserError naming the line.
  BpeCodes(std::string_view codes, const std::string& name);

  /// Cuts a word of valid UTF-8 without blanks into pieces, which have no marks: all of them
  /// together are the word. `knows`: a piece that it denies is taken apart into those of which it
  /// was merged, as often as it helps (subword-nmt's --vocabulary); none: nothing is.
  std::vector<std::string> cut(std::string_view word, const Knows& knows = {}) const;

 private:
  struct Merge {
    int32_t rank = 0, merged = 0;  // merged: the symbol that it makes
  };
  struct TextHash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  int32_t symbol_of(std::string_view text);
  /// The symbol's number, or -1 where no merge has it.
  int32_t find(std::string_view text) const;
  std::vector<std::string> merged(std::string_view word) const;
  void take_apart(std::string_view piece, bool is_last, const Knows& knows,
                  std::vector<std::string>& out) const;

  bool has_end_symbol_ = false;  // version 0.1
  std::unordered_map<std::string, int32_t, TextHash, std::equal_to<>> symbols_;
  std::vector<std::string> texts_;              // of the symbols
  std::unordered_map<uint64_t, Merge> merges_;  // by left and right symbol
  /// By the symbol that it makes: the merge which subword-nmt reverts. Where several make the same,
  /// it is the one whose last line in the file comes first.
  std::unordered_map<int32_t, std::pair<int32_t, int32_t>> reverse_;
};

}  // namespace heed::text
