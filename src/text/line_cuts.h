// Symbols at which a line is cut before SentencePiece cuts the parts between them, as transformers
// does it (PreTrainedTokenizer.tokenize). Inside text/ only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "text/symbol_cut.h"

namespace heed::text {

class LineCuts {
 public:
  /// Adds a symbol. One that is found where SentencePiece finds it, or nowhere, changes nothing.
  void add(const std::string& symbol, int32_t id, const SymbolCut& cut);
  /// Whether no line is ever cut.
  bool empty() const { return symbols_.empty(); }

  /// One part of a line: a symbol, or a text without symbols.
  struct CutPart {
    std::string_view text;
    int32_t symbol = -1;       // its id; -1: none
    bool keeps_blank = false;  // of a text: a blank at its end is a piece
  };
  /// The parts of a line, in order, without empty texts. The leftmost symbol is taken first, and
  /// the longest of those that begin there. The parts point into `line`.
  std::vector<CutPart> parts_of(std::string_view line) const;

 private:
  struct CutSymbol {
    int32_t id = 0;
    SymbolCut cut;
  };
  using Symbols = std::map<std::string, CutSymbol, std::less<>>;

  /// The longest symbol with which `rest` begins, or the end of symbols_.
  Symbols::const_iterator longest_at(std::string_view rest, bool first) const;

  Symbols symbols_;
  std::size_t longest_ = 0;                            // bytes
  std::vector<bool> begins_ = std::vector<bool>(256);  // whether a symbol begins with this byte
};

}  // namespace heed::text
