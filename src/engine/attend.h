// Attention of single queries over rows of keys and values that lie anywhere, as a decoder's step
// needs it for its cache.
#pragma once

#include <cstdint>

#include "kernels/rows/attention.h"
#include "kernels/rows/normalisers.h"
#include "kernels/rows/pattern.h"

namespace heed::engine {

struct HeadShape {
  int64_t heads = 1, kv_heads = 1;  // each head of keys serves heads / kv_heads neighbours
  int64_t head = 0;                 // width of one
  float scale = 1;                  // of the scores
  kernels::Pattern pattern = {};    // of self-attention
  kernels::RowNormaliser weigh = kernels::softmax_row;

  int64_t inner() const { return heads * head; }      // width of the queries
  int64_t shared() const { return kv_heads * head; }  // of the keys
};

/// The numbers that are added to the scores of one query by the distance key - query; distances
/// beyond `reach` count as `reach`.
struct RowDistances {
  const float* numbers = nullptr;  // [heads, 2 * reach + 1]; null: none
  const float* vectors = nullptr;  // [2 * reach + 1, head], multiplied by the query; null: none
  int64_t reach = 0;
  int64_t first = 0;  // the distance of the first key; the others follow
};

/// The scores that attend_row() normalises, scale q K^T + distances: [heads, count], -inf where a
/// pattern hides a key.
void score_row(const float* query, const HeadShape& shape, const float* rows, const int32_t* slots,
               int64_t count, const RowDistances& distances, float* scores);

/// weigh(scale q K^T + distances) V for one query [heads, head], into `context` of the same shape.
/// `rows` holds keys [kv_heads, head] and then values of the same shape, 2 * shared() floats each;
/// the query looks at the rows at `slots` [count]. A sparse pattern hides some of them; then the
/// first slot must be that of the sentence's first key. `weights` [heads, count] receives the
/// weight of each row.
void attend_row(const float* query, const HeadShape& shape, const float* rows, const int32_t* slots,
                int64_t count, const RowDistances& distances, float* weights, float* context);

/// Rotates the pairs (x(2i), x(2i + 1)) of each head by the angles whose cosine and sine are
/// `rotations` [head / 2][2]: rotary positions.
void rotate_heads(float* x, int64_t heads, int64_t head, const float* rotations);

}  // namespace heed::engine
