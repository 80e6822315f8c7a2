// The parts of Hugging Face's folders besides the network. Inside exchange/ only.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "decode/search/config.h"
#include "engine/weights.h"
#include "exchange/json_object.h"
#include "exchange/package.h"
#include "exchange/side_vocabularies.h"
#include "model/description/config.h"
#include "text/foreign_pieces.h"
#include "text/symbol_cut.h"

namespace heed::exchange {

/// Files with pieces and their ids.
inline constexpr const char *kTokenizer = "tokenizer.json",
                            *kTokenizerConfig = "tokenizer_config.json";

/// The special pieces of BERT's and fairseq's models, which stand for no text.
inline constexpr const char* kControlPieces[] = {"<s>", "<pad>", "</s>", "<unk>", "<mask>"};

/// The tensors of model.safetensors or pytorch_model.bin, or of the files that the index of one of
/// these names. Throws UserError, which names the files, where there is no such file, or where two
/// of them could be meant.
engine::Weights huggingface_weights(const Package& package);

/// Whether the package has a file of which huggingface_weights() knows the name.
bool has_huggingface_weights(const Package& package);

/// Pieces by the ids that files give them.
class NumberedPieces {
 public:
  /// Adds a piece. Throws UserError that begins with `place` where the piece has another id, the id
  /// belongs to another piece, or it is out of range.
  void put(const std::string& piece, int64_t id, const std::string& place);
  /// put() for all pieces of a JSON object or list, as pieces_in() reads them.
  void put_all(const nlohmann::json& json, const std::string& place);
  /// put() for a piece that was added to a model's own, if it is not empty. It becomes a symbol
  /// unless it is a control piece, and unless it is a symbol already.
  void put_added(const std::string& piece, int64_t id, const std::string& place,
                 const text::SymbolCut& cut = {.place = text::SymbolPlace::anywhere});
  /// Makes pieces that name languages symbols, also where they are among a model's own.
  void make_languages_symbols();

  bool has(const std::string& piece) const { return ids_.contains(piece); }
  /// How many pieces put_added() has brought that were not there before.
  int64_t added() const { return added_; }
  /// Whether a piece has this id.
  bool takes(int64_t id) const;
  /// The pieces by their ids; an id without a piece has an empty name.
  const std::vector<std::string>& names() const { return names_; }
  /// Pieces of text that the program finds before it segments, such as languages.
  const std::vector<text::ForeignSymbol>& symbols() const { return symbols_; }

 private:
  std::vector<std::string> names_;
  std::vector<text::ForeignSymbol> symbols_;
  std::map<std::string, int64_t> ids_;
  int64_t added_ = 0;
};

/// How transformers cuts a line: a tokenizer in Python cuts it at added pieces as they stand, and
/// SentencePiece cuts the rest; the library `tokenizers` does as tokenizer.json says.
enum class TokenizerKind { python, fast };

/// Takes the pieces that were added to a model's own: added_tokens_decoder of
/// tokenizer_config.json, added_tokens.json and tokenizer.json. Those that are no control pieces
/// become symbols. `notes` gets those that transformers finds only as whole words.
void put_added(const Package& package, TokenizerKind kind, NumberedPieces& table,
               std::vector<std::string>& notes);

/// M2M-100's vocabulary: vocab.json, the added pieces, and the languages. `notes` gets languages
/// whose ids belong to added pieces.
NumberedPieces m2m_100_pieces(const Package& package, std::vector<std::string>& notes);
/// NLLB-200's vocabulary: tokenizer.json, or the order of its SentencePiece file, moved by one
/// after four special pieces; and the added pieces, among them the languages. Throws UserError
/// where no file has the ids.
NumberedPieces nllb_pieces(const Package& package, const std::string& segments,
                           std::vector<std::string>& notes);

/// A SentencePiece file that cuts text as tokenizer.json says. Throws UserError that names the key
/// where it says something else than SentencePiece can do.
SegmentFile segments_of_tokenizer(const Package& package);

/// mBART-50's vocabulary, as NLLB-200's; where no file has the ids of the languages, they are those
/// that transformers gives them.
NumberedPieces mbart_50_pieces(const Package& package, const std::string& segments,
                               std::vector<std::string>& notes);

/// The number of word vectors of one side (`rows`), and the numbers that it must match: that of
/// config.json under `key` (`said`), and that of the names: those in `vocabulary`, and `added`
/// ones. `side`: "encoder" or "decoder".
struct RowsOfSide {
  std::string side, key, vocabulary;
  int64_t rows = 0, said = 0;
  int64_t names = 0, added = 0;  // `names` counts `added`, too
};
/// Throws UserError where `rows` is not `said`, or is less than `names`. Adds a note where many
/// rows have no name.
void require_rows(const RowsOfSide& found, const std::string& place,
                  std::vector<std::string>& notes);

struct ProposedSearch {
  decode::DecodeConfig decoding;
  std::string target_language;  // a translation begins with its symbol; empty: with none
};

/// The search of generation_config.json, or of config.json, where earlier versions of transformers
/// wrote it. `names`: the target's pieces by their ids. `given`: pieces that a translation begins
/// with, the decoder's start among them. `notes` gets the options for which heed has no key.
ProposedSearch proposed_search(const Package& package, const model::ModelConfig& config,
                               const std::vector<std::string>& names, int64_t given,
                               std::vector<std::string>& notes);

/// The language that `key` of tokenizer_config.json names, if it has a piece; else empty.
std::string language_of_tokenizer(const Package& package, const char* key,
                                  const std::vector<std::string>& languages);

}  // namespace heed::exchange
