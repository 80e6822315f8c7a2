#include "text/foreign_pieces.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "base/stand_in.h"
#include "base/strings.h"
#include "text/model_file.h"
#include "text/symbol_cut.h"
#include "text/utf8.h"

namespace heed::text {
namespace {

constexpr std::size_t kMostForeign = 1'000'000, kLongestForeign = 1000;  // pieces, bytes of one

std::vector<ModelPiece> pieces_in_file(const std::string& model, const std::string& name) {
  require_no_stand_in(model, name);
  if (!is_sound_model(model)) throw UserError(name + ": no SentencePiece model, or damaged");
  std::vector<ModelPiece> pieces = pieces_of(model);
  if (pieces.empty()) throw UserError(name + ": no SentencePiece model: it has no pieces");
  return pieces;
}

/// Whether segmenting a text can give this piece.
bool is_segment(const ModelPiece& piece) {
  return piece.type == PieceType::normal || piece.type == PieceType::user_defined ||
         piece.type == PieceType::byte;
}

void require_name(const std::string& piece, const std::string& name) {
  if (piece.size() > kLongestForeign)
    throw UserError("{}: a piece of {} bytes; at most {} are possible", name, piece.size(),
                    kLongestForeign);
  if (!is_utf8(piece) || piece.find('\0') != std::string::npos)
    throw UserError("{}: the piece '{}' is no UTF-8, or has a NUL", name, one_line(repair(piece)));
}

/// Builds the pieces in heed's order.
class Arrangement {
 public:
  Arrangement(const std::string& model, const ForeignPieces& pieces,
              const std::vector<std::string>& outside, const std::string& name, Outside as)
      : name_(name) {
    for (const auto& [piece, cut] : pieces.symbols) symbols_.emplace(piece, cut);
    for (ModelPiece& piece : pieces_in_file(model, name)) {
      // A piece that is never in a segmentation merges last, so that BPE takes it apart again.
      if (piece.type == PieceType::normal) unused_score_ = std::min(unused_score_, piece.score - 1);
      in_file_.emplace(piece.text, piece);
    }
    if (pieces.names.size() + outside.size() > kMostForeign)
      throw UserError("{}: {} pieces; at most {} are possible", name, pieces.names.size(),
                      kMostForeign);
    for (std::size_t id = 0; id < pieces.names.size(); ++id) take_name(pieces.names[id], id);
    for (const std::string& piece : outside) take_name(piece, -1);
    add_special(pieces.pad, "<pad>", PieceType::control);
    add_special(pieces.unknown, "<unk>", PieceType::unknown);
    add_special(pieces.begin, "<s>", PieceType::control);
    add_special(pieces.end, "</s>", PieceType::control);
    const std::unordered_set<int64_t> special(foreign_id_.begin(), foreign_id_.end());
    for (std::size_t id = 0; id < pieces.names.size(); ++id)
      if (const auto foreign = static_cast<int64_t>(id);
          !pieces.names[id].empty() && !special.contains(foreign))
        add(ordinary(pieces.names[id]), foreign);
    const int64_t unknown = foreign_id_[kUnknown];
    for (const std::string& name_outside : outside) {
      ModelPiece piece = ordinary(name_outside);
      piece.by_name = false;
      piece.is_unknown = as == Outside::unknown && piece.type != PieceType::unused;
      add(std::move(piece), unknown);
    }
  }

  /// The vocabulary with these pieces, and with all else as in `model`.
  RearrangedVocabulary vocabulary(const std::string& model) && {
    return {Vocabulary::from_model(with_other_pieces(model, all_), name_), std::move(foreign_id_)};
  }

 private:
  void take_name(const std::string& piece, int64_t id) {
    require_name(piece, name_);
    if (!piece.empty() && !ids_.emplace(piece, id).second)
      throw UserError("{}: the piece '{}' is there twice", name_, one_line(piece));
  }

  void add(ModelPiece piece, int64_t foreign) {
    all_.push_back(std::move(piece));
    foreign_id_.push_back(foreign);
  }

  /// Adds a special piece. `own` is its name where the program has no such piece.
  void add_special(const std::string& piece, std::string own, PieceType type) {
    const auto found = piece.empty() ? ids_.end() : ids_.find(piece);
    if (found != ids_.end() && found->second >= 0) {
      if (std::ranges::count(foreign_id_, found->second) > 0)
        throw UserError("{}: '{}' is two special pieces", name_, one_line(piece));
      return add({piece, 0, type}, found->second);
    }
    while (ids_.contains(own)) own += '_';
    add({own, 0, type}, -1);
  }

  ModelPiece ordinary(const std::string& piece) const {
    if (const auto symbol = symbols_.find(piece); symbol != symbols_.end()) {
      const bool found_by_segments = symbol->second.place == SymbolPlace::segments ||
                                     symbol->second.place == SymbolPlace::anywhere;
      return {.text = piece,
              .score = found_by_segments ? 0 : unused_score_,
              .type = PieceType::user_defined,
              .cut = symbol->second};
    }
    const auto found = in_file_.find(piece);
    if (found == in_file_.end())
      return {.text = piece, .score = unused_score_, .type = PieceType::unused, .by_name = true};
    const bool special = found->second.type == PieceType::unknown;
    return {.text = piece,
            .score = found->second.score,
            .type = special ? PieceType::control : found->second.type};
  }

  const std::string& name_;
  std::unordered_map<std::string, SymbolCut> symbols_;
  std::unordered_map<std::string, ModelPiece> in_file_;
  float unused_score_ = 0;
  std::unordered_map<std::string, int64_t> ids_;  // the program's; -1: it has none
  std::vector<ModelPiece> all_;
  std::vector<int64_t> foreign_id_;  // of each piece of all_
};

}  // namespace

std::vector<std::string> all_pieces(std::string_view model, const std::string& name) {
  std::vector<std::string> names;
  for (ModelPiece& piece : pieces_in_file(std::string(model), name))
    names.push_back(std::move(piece.text));
  return names;
}

std::vector<std::string> pieces_outside(const std::string& model, const ForeignPieces& pieces,
                                        const std::string& name) {
  const std::unordered_set<std::string> known(pieces.names.begin(), pieces.names.end());
  std::vector<std::string> outside;
  for (const ModelPiece& piece : pieces_in_file(model, name))
    if (is_segment(piece) && !known.contains(piece.text)) outside.push_back(piece.text);
  return outside;
}

RearrangedVocabulary rearranged(const std::string& model, const ForeignPieces& pieces,
                                const std::vector<std::string>& outside, const std::string& name,
                                Outside as) {
  return Arrangement(model, pieces, outside, name, as).vocabulary(model);
}

std::string sentencepiece_file(const Vocabulary& vocabulary, const std::vector<int32_t>& order,
                               const std::string& name) {
  if (vocabulary.is_cut())
    throw UserError(
        "{}: its text is cut by another program (data.vocabulary.algorithm is pieces), and the "
        "vocabulary of the export is a SentencePiece file; --format ctranslate2 takes pieces",
        name);
  for (const ModelPiece& piece : pieces_of(vocabulary.model())) {
    if (piece.cut != SymbolCut{})
      throw UserError(
          "{}: lines are cut at the symbol {} by a rule that SentencePiece's files lack; --format "
          "ctranslate2 takes pieces",
          name, one_line(piece.text));
    if (piece.by_name && piece.type == PieceType::unused && !piece.text.starts_with("<unused "))
      throw UserError(
          "{}: the piece {} is found by its name alone, which SentencePiece's files cannot say; "
          "--format ctranslate2 takes pieces",
          name, one_line(piece.text));
  }
  return plain_model(vocabulary.model(), order);
}

}  // namespace heed::text
