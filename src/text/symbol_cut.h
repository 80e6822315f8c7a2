// How a line is cut at a symbol, such as a language or a piece that was added to a model.
#pragma once

namespace heed::text {

/// Where a symbol is found in a line.
enum class SymbolPlace {
  segments,  // where SentencePiece finds it, which cuts the line as a whole
  anywhere,  // the line is cut on both sides of it, and SentencePiece cuts each part alone
  first,     // the same, but only where a part begins
  nowhere    // it is put before lines, and never found in them
};

/// An extension of heed: how a line is cut at a symbol before SentencePiece cuts the rest. It is
/// for models of programs that look for symbols on their own.
struct SymbolCut {
  SymbolPlace place = SymbolPlace::segments;
  bool drops_left = false, drops_right = false;  // blanks of the parts beside it
  bool keeps_blank = false;  // a blank before it is a piece, the mark of a word start

  bool operator==(const SymbolCut&) const = default;
};

}  // namespace heed::text
