// Scaled dot-product attention of one head over one sentence, and its gradient: fp32 inside, a
// block of queries at a time, so that memory grows with the length and not with its square. With a
// window a block reads the keys around it alone, so that time grows with the length, too.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/rows/matrix.h"
#include "kernels/rows/pattern.h"

namespace heed::kernels {

/// The sizes of the attention of one head to one sentence, the keys that it sees, and the factor of
/// its scores.
struct HeadSize {
  int64_t queries = 0, keys = 0, head = 0;
  const bool* valid = nullptr;  // [keys], the keys that are no padding; null: all
  Pattern pattern = {};         // of as many queries as keys
  float scale = 1;
};

/// Numbers that are added to scores: for query i and key s it is number s - i + reach of the
/// query's row, or the row's first or last number where that lies outside of it.
template <class Number>
struct Distances {
  Grid<Number> rows;  // [queries, 2 * reach + 1]; row = 0: one for all queries; no data: nothing
  int64_t reach = 0;
};

/// Some queries of a head, and the keys that any of them sees.
struct QueryBlock {
  int64_t first = 0, queries = 0;
  int64_t first_key = 0, keys = 0;  // first_key is a multiple of kLanes
  Pattern pattern = {};

  /// The range of the block's keys in which all keys lie that query i of the block sees.
  KeyRange range(int64_t i) const {
    const KeyRange all = pattern.range(first + i, first_key + keys);
    return {all.begin > first_key ? all.begin - first_key : 0, all.end - first_key};
  }
};

/// The keys and values of one sentence, which several heads of queries may share, and the memory to
/// work in. Each thread has one object, which it uses again and again.
template <class Number>
class HeadWork {
 public:
  using In = Grid<const Number>;  // rows of one head in a caller's tensor; uint16_t means bf16
  using Out = Grid<Number>;

  void read(const In& keys, const In& values, const HeadSize& size);

  /// softmax(scale Q K^T + distances) V; where a query sees no key, zeros.
  void attend(const In& query, const Distances<const float>& distances, const Out& context);

  /// From the gradient `outer` of the context, writes that of the query. Those of keys and values
  /// are added up until write_gradients(), and those of the distances are added to the numbers that
  /// `to_distances` has.
  void attend_backward(const In& query, const Distances<const float>& distances, const In& outer,
                       const Out& to_query, const Distances<float>& to_distances);
  void write_gradients(const Out& to_keys, const Out& to_values) const;

 private:
  QueryBlock block_at(int64_t first) const;
  void weigh(const In& query, const Distances<const float>& distances, const QueryBlock& block);

  HeadSize size_;
  int64_t wide_ = 0, long_ = 0;                             // head and keys in whole lanes
  std::vector<float> keys_, values_;                        // [keys, wide]
  std::vector<float> transposed_keys_, transposed_values_;  // [head, long]
  std::vector<float> query_, outer_, result_;               // [block, wide], queries scaled
  std::vector<float> weights_, to_scores_;                  // [block, long]
  std::vector<float> to_keys_, to_values_;                  // [keys, wide]
};

}  // namespace heed::kernels
