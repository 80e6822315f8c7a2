// Subword regularisation with a seed of its own for every draw. SentencePiece draws from a
// generator per thread that cannot be seeded again, so its numbers would depend on what the thread
// did before. Inside text/ only.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/random.h"

namespace heed::text {

class PieceTable {
 public:
  struct Piece {
    int32_t id = 0;
    double score = 0;  // log-probability (unigram) or minus the rank of the merge (BPE)
  };

  void add(std::string_view text, Piece piece);
  /// The piece with exactly this text; null where there is none.
  const Piece* find(std::string_view text) const;
  /// The piece with this text, or an entry with the id kNoPiece where only longer pieces begin with
  /// it; null where no piece begins like that.
  const Piece* begins(std::string_view text) const;
  /// Whether every character of `text` is a piece.
  bool spells(std::string_view text) const;
  static constexpr int32_t kNoPiece = -1;

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::string, Piece, Hash, std::equal_to<>>
      pieces_;  // and all their beginnings
};

/// Draws a segmentation of `text` with probability proportional to exp(alpha * sum of scores):
/// forward filtering, backward sampling. Every part of some segmentation must be in the table.
std::vector<int32_t> sample_unigram(const PieceTable& pieces, std::string_view text, double alpha,
                                    Random& random);

/// The sum of scores of the best segmentation; minus infinity where there is none.
double best_unigram(const PieceTable& pieces, std::string_view text);

/// The ids of BPE without dropout: merges neighbours, best score first. Every character must be in
/// the table.
std::vector<int32_t> best_bpe(const PieceTable& pieces, std::string_view text);

/// The same as best_bpe(), but each possible merge is left out with probability `dropout`.
std::vector<int32_t> sample_bpe(const PieceTable& pieces, std::string_view text, double dropout,
                                Random& random);

}  // namespace heed::text
