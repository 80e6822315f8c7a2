// Pieces of text and their ids: a small class around SentencePiece, or the pieces of text that
// another program has cut.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed::text {

enum class ZeroWidthSpaces;  // text/invisible.h

// The ids every heed vocabulary has; a model trained elsewhere with others is refused with a clear
// line.
inline constexpr int32_t kPad = 0, kUnknown = 1, kBegin = 2, kEnd = 3;
/// The names of their pieces in vocabularies that heed makes, by id.
inline constexpr const char* kSpecialPieces[] = {"<pad>", "<unk>", "<s>", "</s>"};

/// How Vocabulary tidies a line before SentencePiece, whose own normaliser is part of its file,
/// reads it. A change of this is a new version, because a model is trained with one.
inline constexpr std::string_view kTextNormaliser = "1";

/// The mark (U+2581) with which a piece begins where a word begins.
inline constexpr std::string_view kWordStart = "\u2581";

/// The longest text, in bytes, that is given to SentencePiece at once: the time it takes for a run
/// of characters without a piece grows with the square of the run.
inline constexpr std::size_t kPartOfLine = 8192;

/// Subword pieces and their ids. Immutable and safe to share between threads.
///
/// Text reaches SentencePiece as it stands, but for spaces: tabs, control characters and every
/// Unicode space count as one blank, and runs of blanks as one. Vocabularies trained here change
/// no character unless VocabularyTraining::normalise (text/vocabulary_training.h) says so, and then
/// by SentencePiece's table in their file. So decode(encode(line)) is the line with its blanks
/// tidied, in this form, as long as the vocabulary knows all its characters.
///
/// A line of more than kPartOfLine bytes is encoded in parts, which end before blanks. Where a part
/// has no blank it ends inside a word, which may get other pieces there.
///
/// A vocabulary whose file has a PieceRule (text/piece_rule.h) is for text that another program has
/// cut. A line is then a list of pieces with ASCII blanks between them, or of words, where the rule
/// has codes; all other characters belong to pieces. decode() joins pieces to words.
class Vocabulary {
 public:
  static constexpr int64_t kAllPieces = std::numeric_limits<int64_t>::max();

  /// Throws UserError naming the file when it is missing, no SentencePiece model, or has other
  /// special ids.
  static Vocabulary load(const std::string& path);
  /// The same as load(), from the bytes of a file, which messages call `name`.
  static Vocabulary from_model(std::string model, const std::string& name);
  /// Returns this vocabulary, but each line that has pieces begins with these user-defined symbols,
  /// which stand for languages and are no text: encode(), sample() and spell() put them there, and
  /// decode() and surfaces() give nothing for them. Without symbols it is the vocabulary as it was
  /// loaded.
  Vocabulary beginning_with(const std::vector<std::string>& symbols) const;
  /// The ids of the symbols of beginning_with().
  const std::vector<int32_t>& beginning() const { return beginning_; }
  /// Returns this vocabulary for a model that reads lines with kEnd after them, or without it.
  Vocabulary with_end(bool has_end) const;
  bool has_end() const { return has_end_; }
  /// Returns this vocabulary for lines that are pieces and stay so: encode() cuts nothing, decode()
  /// joins nothing, and each piece counts as a word. One of SentencePiece is not changed by it.
  Vocabulary with_pieces_as_words(bool as_words) const;
  bool has_pieces_as_words() const { return pieces_as_words_; }
  /// Returns this vocabulary for texts to be translated: encode() and spell() read a line of words
  /// without its invisible characters (without_invisible() in text/invisible.h). Zero-width spaces
  /// that end words stay if they have a piece. Lines of pieces are read as they are.
  Vocabulary for_translation() const;
  /// Whether another program cuts the text.
  bool is_cut() const;
  /// Whether encode() takes lines of words, so that what is found in a line's words is found in its
  /// pieces: not where lines are pieces already.
  bool reads_words() const;
  /// Whether a piece begins a word when it follows `before`, another id.
  bool begins_word(int32_t id, int32_t before) const;
  /// The names of consecutive pieces (spell(), piece()) with kWordStart before those that begin a
  /// word, and without other marks: as SentencePiece spells them. Names of its pieces stay.
  std::vector<std::string> with_word_starts(std::vector<std::string> names) const;
  /// Returns how many ids of beginning() these ids begin with: all of them, or 0.
  std::size_t symbols_before(std::span<const int32_t> ids) const;

  void save(const std::string& path) const;  // atomic
  const std::string& model() const;          // the bytes of its file

  /// Ids of a line, without kBegin and kEnd. Runs of characters without a piece give kUnknown, or
  /// the pieces of their bytes. A user-defined symbol is one id; at the beginning of the line, too,
  /// where SentencePiece puts a word start before it. Where a line has more than `most` ids, the
  /// first `most` + 1 are returned, which takes no longer for a longer line.
  std::vector<int32_t> encode(std::string_view line, int64_t most = kAllPieces) const;

  /// One draw of subword regularisation; `seed` alone decides the draw, on any thread. Unigram: a
  /// segmentation drawn with probability proportional to its likelihood to the power `alpha` (Kudo
  /// 2018, all segmentations; smaller is wilder). BPE: each merge is left out with probability
  /// `alpha` (BPE-dropout, Provilkov et al. 2020; larger is wilder). Other algorithms give
  /// encode().
  std::vector<int32_t> sample(std::string_view line, double alpha, uint64_t seed) const;

  /// The text of the ids, always one line (one_clean_line). Pad, begin and end give nothing;
  /// kUnknown stays visible as U+2047 (a double question mark), but the first of them become the
  /// texts of `unknown`, in order. Throws Bug for ids outside the vocabulary.
  std::string decode(const std::vector<int32_t>& ids,
                     const std::vector<std::string>& unknown = {}) const;
  /// The part that each of the ids adds to the text of decode(), with its blanks.
  std::vector<std::string> surfaces(const std::vector<int32_t>& ids,
                                    const std::vector<std::string>& unknown = {}) const;

  /// The names of the pieces that encode(line) gives, as piece() spells them; unknown text stands
  /// there as in the line.
  std::vector<std::string> spell(std::string_view line, int64_t most = kAllPieces) const;

  /// Whether the text is a user-defined symbol.
  bool has_symbol(const std::string& text) const;
  /// Throws UserError naming `key`, with the cure, unless all of `symbols` are user-defined
  /// symbols.
  void require_symbols(const std::vector<std::string>& symbols, const std::string& key) const;

  /// Whether the vocabulary spells characters without a piece in bytes.
  bool has_bytes() const;
  /// Returns "unigram", "bpe" or "pieces" (is_cut()); empty for another one.
  std::string algorithm() const;
  /// Whether sample() draws, because the vocabulary is unigram or BPE.
  bool can_sample() const;

  /// The id of the piece that piece() spells like this, if there is one.
  std::optional<int32_t> id_of(const std::string& piece) const;
  /// The piece as SentencePiece spells it, word starts marked with U+2581, or as the text has it
  /// where is_cut().
  std::string piece(int32_t id) const;
  int32_t size() const;
  /// Short checksum of the model, to tell two vocabularies apart in messages.
  std::string fingerprint() const;

 private:
  class Impl;
  /// Returns the line, or what encode() reads of it, which is then in `other`.
  std::string_view read(std::string_view line, std::string& other) const;

  std::shared_ptr<const Impl> impl_;
  std::vector<int32_t> beginning_;
  std::optional<ZeroWidthSpaces> spaces_;  // of for_translation()
  bool has_end_ = true;
  bool pieces_as_words_ = false;
};

/// A piece's name, as SentencePiece spells it, with blanks for U+2581.
std::string surface_of(const std::string& piece);

struct WordsOfPieces {
  /// For each piece, the word of its first letter; `words` for symbols of the beginning and after
  /// the last word.
  std::vector<int32_t> word_of;
  std::vector<int32_t> last_of;  // for each piece, the word of its last letter
  int64_t words = 0;             // how many words text::words_in() finds
};

/// The words of pieces that encode() or sample() gave, of all or the first of them. A piece without
/// a name (kUnknown) counts as a letter.
WordsOfPieces words_of(const Vocabulary& vocabulary, const std::vector<int32_t>& ids);

}  // namespace heed::text
