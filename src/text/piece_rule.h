// Vocabularies of text that another program has cut into pieces: which marks and which merges it
// has.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed::text {

class Vocabulary;  // text/vocabulary.h

/// The mark of subword-nmt and fastBPE at the end of a piece that does not end its word.
inline constexpr std::string_view kUsualSeparator = "@@";

/// How words and pieces correspond in text that another program has cut.
struct PieceRule {
  std::string separator{kUsualSeparator};  // ends each piece that does not end its word
  /// The text of a file of codes (text/bpe_codes.h), with which words are cut here; empty: lines
  /// are pieces already.
  std::string codes = {};
  /// Whether pieces that the vocabulary lacks are taken apart, as subword-nmt's --vocabulary does.
  bool split_unknown = false;
};

/// Throws UserError naming a key, which `keys` begins ("data.vocabulary."), where the rule is none.
void check_rule(const PieceRule& rule, const std::string& keys);
/// The same for a rule whose codes are read for use anyway, which finds their faults.
void check_marks(const PieceRule& rule, const std::string& keys);

/// Whether a piece ends its word: it has no separator at its end, or is nothing else.
bool ends_word(std::string_view piece, std::string_view separator);

/// A line of pieces as words, as `sed 's/@@ //g'` makes them.
std::string joined_pieces(std::string_view line, std::string_view separator);

/// A vocabulary file of these pieces after the four special ones and `symbols`. Those that have the
/// name of a special piece or a symbol are left out.
std::string model_of_pieces(const std::vector<std::string>& pieces,
                            const std::vector<std::string>& symbols, const PieceRule& rule);

/// Reads a list of pieces, one on each line, perhaps with its count after a blank, as subword-nmt's
/// get-vocab and fastBPE's getvocab write it. Messages call it `name`. Throws UserError naming the
/// line.
std::vector<std::string> pieces_in_list(std::string_view list, const std::string& name);

/// Opens `path`: a vocabulary of heed with a rule of its own, or a list of pieces, which gets
/// `symbols` and `rule`. Throws UserError where it is SentencePiece's, or where `rule` has codes
/// and the file has a rule already.
Vocabulary load_pieces(const std::string& path, const std::vector<std::string>& symbols,
                       const PieceRule& rule);

}  // namespace heed::text
