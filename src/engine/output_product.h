// The last layer of a decoder: logits of all pieces, or of those that a shortlist names.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/matrix.h"
#include "engine/weights.h"

namespace heed::engine {

/// The pieces that a sentence's translation may have, in the order of their ids.
using PieceList = std::vector<int32_t>;

/// The logits of one batch. With lists it multiplies only with the columns that are in some list; a
/// row then has the logits of its own sentence's list, so that its neighbours change no bit.
class OutputProduct {
 public:
  static constexpr int64_t kBlock = 16 * Matrix::kPanel;  // columns

  /// `lists`: one for each sentence, or none: all pieces. `whole` and `products` must outlive it.
  OutputProduct(const Linear& whole, std::span<const PieceList> lists, Products& products);

  /// Sets the input of the calls that follow: x [rows, inner], as many rows for each sentence,
  /// which must stay.
  void take(const float* x, int64_t rows);
  /// [rows, columns()], valid until the next call. Columns after the logits of a shorter list are
  /// -inf.
  float* logits();
  /// Writes the logits of the columns from index * kBlock on, [rows, kBlock], to `to`; only for a
  /// product without lists. Several threads may call it. A caller that uses a block at once finds
  /// it in the cache.
  void block(int64_t index, Floats& to) const;
  int64_t blocks() const { return (columns_ + kBlock - 1) / kBlock; }
  /// The number of blocks from which on waking a thread pays.
  int64_t grain() const { return 1 + products_.grain(whole_) * Matrix::kPanel / kBlock; }
  /// The number of logits of a row: as many as the target has pieces, or the longest list.
  int64_t columns() const { return columns_; }
  /// Goes on with these sentences, as BatchDecoder::reorder().
  void reorder(std::span<const int64_t> sentences);

 private:
  const Linear& whole_;
  Products& products_;
  int64_t columns_, rows_ = 0;
  Linear listed_;                   // the columns of all lists
  std::vector<PieceList> indices_;  // of each list: the indices of its pieces in listed_
  Floats logits_, listed_logits_;
};

}  // namespace heed::engine
