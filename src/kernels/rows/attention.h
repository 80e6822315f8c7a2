// Scaled dot-product attention of one head over one sentence, and its gradient: fp32 inside, a
// block of queries at a time, so that memory grows with the length and not with its square.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/rows/small_product.h"

namespace heed::kernels {

/// What a head sees of one sentence.
struct HeadSize {
  int64_t queries = 0, keys = 0, head = 0;
  const bool* valid = nullptr;  // [keys], the keys that are no padding; null: all
  bool causal = false;          // query i sees the keys 0..i
  float scale = 1;
};

/// What is added to the score of query i and key s: number s - i + reach of the query's row, the
/// first or the last one where that is not in it.
template <class Number>
struct Distances {
  Grid<Number> rows;  // [queries, 2 * reach + 1]; row = 0: one for all queries; no data: nothing
  int64_t reach = 0;
};

/// The keys and values of one sentence, which several heads of queries may share, and the room to
/// work in. One for each thread, used again and again.
template <class Number>
class HeadWork {
 public:
  using In = Grid<const Number>;  // rows of one head in somebody's tensor; uint16_t stands for bf16
  using Out = Grid<Number>;

  void read(const In& keys, const In& values, const HeadSize& size);

  /// softmax(scale Q K^T + distances) V; where a query sees no key, zeros.
  void attend(const In& query, const Distances<const float>& distances, const Out& context);

  /// From the gradient of the context that of the query; those of keys and values are added up
  /// until they are asked for, those of the distances to what is there.
  void attend_backward(const In& query, const Distances<const float>& distances, const In& outer,
                       const Out& to_query, const Distances<float>& to_distances);
  void write_gradients(const Out& to_keys, const Out& to_values) const;

 private:
  struct Block {
    int64_t first = 0, queries = 0;
    int64_t keys = 0;  // that any of the queries sees
  };
  Block block_at(int64_t first) const;
  void weigh(const In& query, const Distances<const float>& distances, const Block& block);

  HeadSize size_;
  int64_t wide_ = 0, long_ = 0;                             // head and keys in whole lanes
  std::vector<float> keys_, values_;                        // [keys, wide]
  std::vector<float> transposed_keys_, transposed_values_;  // [head, long]
  std::vector<float> query_, outer_, result_;               // [block, wide], queries scaled
  std::vector<float> weights_, to_scores_;                  // [block, long]
  std::vector<float> to_keys_, to_values_;                  // [keys, wide]
};

}  // namespace heed::kernels
