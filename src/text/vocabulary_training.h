// Vocabularies for a text: SentencePiece's trainer, and the pieces of a text that another program
// has cut.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "text/piece_rule.h"
#include "text/tsv.h"

namespace heed::text {

class Vocabulary;  // text/vocabulary.h

/// The smallest coverage that SentencePiece's trainer accepts.
inline constexpr double kLeastCoverage = 0.98;

/// Text to train a vocabulary on: plain, .gz or .zst; all its lines are used.
struct TextFile {
  TextFile(std::string at, TsvColumn of = TsvColumn::whole) : path(std::move(at)), column(of) {}
  std::string path;
  TsvColumn column;
};

/// The error where no vocabulary of this size can be made from the text.
struct TooLittleText : UserError {
  TooLittleText(const std::string& message, int64_t largest) : UserError(message), most(largest) {}
  int64_t most;  // size of the largest vocabulary that is possible
};

/// The longest run of characters without a blank that SentencePiece's trainer sees; longer ones are
/// cut, because the trainer crashes at some tens of thousands. No natural text has such runs; URLs,
/// base64 and books without line feeds do.
inline constexpr int64_t kLongestRun = 16'384;

/// Lines with runs longer than kLongestRun.
struct CutRuns {
  int64_t lines = 0;
  std::string first;  // FILE:LINE
  /// The text of a warning, or "" where there are no such lines.
  std::string text() const;
};

struct VocabularyTraining {
  std::vector<TextFile> files;
  int64_t size = 8000;                    // pieces, the four special ones included
  std::string algorithm = "unigram";      // or "bpe", or "pieces": those of the text itself
  double coverage = 1.0;                  // kLeastCoverage to 1
  std::vector<std::string> symbols = {};  // user-defined: each is one piece and never split
  std::string normalise = "none";         // or "nfc", "nfkc"
  bool byte_fallback = false;             // a piece for each byte spells what has no piece
  double upper = 0;                       // share of the lines that are read in capitals
  std::string keys = "data.vocabulary.";  // before size, algorithm and so on in messages
  PieceRule rule = {};                    // of "pieces"
  int64_t fewest = 5;  // sizes below this one are refused: four pieces are special
};

/// Throws UserError naming `key` where one of `symbols` cannot be a user-defined symbol, or is
/// there twice.
void check_symbols(const std::vector<std::string>& symbols, const std::string& key);

/// The same input gives the same vocabulary, on any number of cores. Warns of runs that are cut.
/// "pieces" gives the most frequent pieces of the text, those in front by bytes where they are
/// equally frequent, and fewer than `size` where the text has no more.
/// Throws UserError where the corpus cannot support `size` pieces, and says which sizes it can;
/// Failure where SentencePiece fails, also where it would end the process.
Vocabulary train_vocabulary(const VocabularyTraining& options);

struct Reachable {
  CutRuns cut;        // what train_vocabulary() would warn of
  std::string model;  // the bytes of the vocabulary's file where one was trained, else ""
};

/// Checks that `size` pieces can be made from the text, and throws what train_vocabulary() would.
/// It reads the text once and counts words and characters; only where these leave a doubt it trains
/// the vocabulary, so that nobody needs to train it again.
Reachable require_reachable(const VocabularyTraining& options);

}  // namespace heed::text
