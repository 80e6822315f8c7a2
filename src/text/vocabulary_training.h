// SentencePiece's trainer: vocabularies for a text.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "text/tsv.h"

namespace heed::text {

class Vocabulary;  // text/vocabulary.h

/// What SentencePiece's trainer takes at the least.
inline constexpr double kLeastCoverage = 0.98;

/// Text to train a vocabulary on: plain, .gz or .zst; all its lines are used.
struct TextFile {
  TextFile(std::string at, TsvColumn of = TsvColumn::whole) : path(std::move(at)), column(of) {}
  std::string path;
  TsvColumn column;
};

/// No vocabulary of this text is so large.
struct TooLittleText : UserError {
  TooLittleText(const std::string& message, int64_t largest) : UserError(message), most(largest) {}
  int64_t most;  // pieces
};

/// Longer runs of characters without a blank are cut before SentencePiece's trainer sees them: it
/// ends at some tens of thousands. No natural text has them; URLs, base64 and books without line
/// feeds do.
inline constexpr int64_t kLongestRun = 16'384;

/// Lines with such runs.
struct CutRuns {
  int64_t lines = 0;
  std::string first;  // FILE:LINE
  /// A warning, or "" where there are none.
  std::string text() const;
};

struct VocabularyTraining {
  std::vector<TextFile> files;
  int64_t size = 8000;                    // pieces, the four special ones included
  std::string algorithm = "unigram";      // or "bpe"
  double coverage = 1.0;                  // kLeastCoverage to 1
  std::vector<std::string> symbols = {};  // user-defined: each is one piece and never split
  std::string normalise = "none";         // or "nfc", "nfkc"
  bool byte_fallback = false;             // a piece for each byte spells what has no piece
  double upper = 0;                       // share of the lines that are read in capitals
  std::string keys = "data.vocabulary.";  // before size, algorithm and so on in messages
  int64_t fewest = 5;  // sizes below this one are refused: four pieces are special
};

/// Throws UserError naming `key` where one cannot be a user-defined symbol, or is there twice.
void check_symbols(const std::vector<std::string>& symbols, const std::string& key);

/// The same input gives the same vocabulary, on any number of cores. Warns of runs that are cut.
/// Throws UserError where the corpus cannot support `size` pieces, and says which sizes it can;
/// Failure where SentencePiece fails, also where it would end the process.
Vocabulary train_vocabulary(const VocabularyTraining& options);

/// Before one is trained: throws what train_vocabulary() would, where a look at the text's words
/// and characters leaves doubt that `size` pieces can be made of it: then it trains. Else it reads
/// the text once. Returns what train_vocabulary() would warn of.
CutRuns require_reachable(const VocabularyTraining& options);

}  // namespace heed::text
