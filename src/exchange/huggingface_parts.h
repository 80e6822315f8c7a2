// What Hugging Face's folders have besides the network. Inside exchange/ only.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "decode/search/config.h"
#include "engine/weights.h"
#include "exchange/json_object.h"
#include "exchange/package.h"
#include "model/description/config.h"
#include "text/foreign_pieces.h"

namespace heed::exchange {

/// The tensors of model.safetensors or pytorch_model.bin, or of the files that the index of one of
/// these names. Throws UserError, which names the files, where there is no such file, or where two
/// of them could be meant.
engine::Weights huggingface_weights(const Package& package);

/// Pieces by their ids, which files say.
class NumberedPieces {
 public:
  /// Throws UserError that begins with `place` where the piece has another id, the id belongs to
  /// another piece, or it is out of range.
  void put(const std::string& piece, int64_t id, const std::string& place);
  /// The same of all pieces of a JSON object or list, as pieces_in() reads them.
  void put_all(const nlohmann::json& json, const std::string& place);
  /// The same of a piece that was added to a model's own, if it is not empty. One that is new and
  /// no control piece becomes a symbol.
  void put_added(const std::string& piece, int64_t id, const std::string& place);

  bool has(const std::string& piece) const { return ids_.contains(piece); }
  /// Whether a piece has this id.
  bool takes(int64_t id) const;
  /// By their ids; an id without a piece has an empty name.
  const std::vector<std::string>& names() const { return names_; }
  /// Pieces of text that the program finds before it segments, such as languages.
  const std::vector<std::string>& symbols() const { return symbols_; }

 private:
  std::vector<std::string> names_, symbols_;
  std::map<std::string, int64_t> ids_;
};

/// Takes the pieces that were added to a model's own: added_tokens_decoder of
/// tokenizer_config.json, added_tokens.json and tokenizer.json. Those that are no control pieces
/// become symbols.
void put_added(const Package& package, NumberedPieces& table);

/// M2M-100's vocabulary: vocab.json, what was added, and the languages.
NumberedPieces m2m_100_pieces(const Package& package);
/// NLLB-200's: tokenizer.json, or the order of its SentencePiece file, moved by one behind four
/// special pieces; and what was added, the languages among it. Throws UserError where no file says
/// their ids.
NumberedPieces nllb_pieces(const Package& package, const std::string& segments);

/// Throws UserError where a network has another number of word vectors than config.json says, or
/// fewer than there are names. `side`: "encoder" or "decoder".
struct RowsOfSide {
  std::string side, key, vocabulary;
  int64_t rows = 0, said = 0, names = 0;
};
void require_rows(const RowsOfSide& found, const std::string& place,
                  std::vector<std::string>& notes);

struct ProposedSearch {
  decode::DecodeConfig decoding;
  std::string target_language;  // with whose symbol a translation begins; empty: with none
};

/// Of generation_config.json, or of config.json, where earlier versions of transformers wrote it.
/// `names`: the target's pieces by their ids. `given`: pieces that a translation begins with, the
/// decoder's start among them. What heed has no key for is said in `notes`.
ProposedSearch proposed_search(const Package& package, const model::ModelConfig& config,
                               const std::vector<std::string>& names, int64_t given,
                               std::vector<std::string>& notes);

/// The language that `key` of tokenizer_config.json names, if it has a piece; else empty.
std::string language_of_tokenizer(const Package& package, const char* key,
                                  const std::vector<std::string>& languages);

}  // namespace heed::exchange
