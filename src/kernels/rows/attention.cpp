#include "kernels/rows/attention.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>

#include "kernels/rows/inner_loops.h"
#include "kernels/rows/loops.h"
#include "kernels/rows/numbers.h"
#include "kernels/rows/versions.h"

namespace heed::kernels {
namespace {

// Queries that are worked on together: their scores stay in the cache next to the processor.
constexpr int64_t kBlock = 48;

/// Calls work(scores, numbers, count, step) for runs of keys which together are all keys that a
/// query at `position` sees: scores[s] belongs to numbers[s * step], step 0 or 1.
template <class Score, class Number, class Work>
HEED_LOOP void by_distance(Score* scores, Number* row, int64_t reach, int64_t position,
                           int64_t seen, const Work& work) {
  const int64_t near = std::clamp<int64_t>(position - reach, 0, seen),
                far = std::clamp<int64_t>(position + reach + 1, near, seen);
  work(scores, row, near, 0);
  work(scores + near, row + near - position + reach, far - near, 1);
  work(scores + far, row + 2 * reach, seen - far, 0);
}

HEED_LOOP void add_distances(float* scores, int64_t stride, const Distances<const float>& distances,
                             const QueryBlock& block) {
  for (int64_t i = 0; i < block.queries; ++i, scores += stride)
    by_distance(scores, distances.rows.data + (block.first + i) * distances.rows.row,
                distances.reach, block.first + i - block.first_key, block.range(i).end,
                [](float* to, const float* from, int64_t count, int64_t step) {
                  if (step == 0) {
                    for (int64_t s = 0; s < count; ++s) to[s] += *from;
                  } else {
#pragma omp simd
                    for (int64_t s = 0; s < count; ++s) to[s] += from[s];
                  }
                });
}

HEED_LOOP void add_distance_gradients(const float* scores, int64_t stride,
                                      const Distances<float>& distances, const QueryBlock& block) {
  for (int64_t i = 0; i < block.queries; ++i, scores += stride)
    by_distance(scores, distances.rows.data + (block.first + i) * distances.rows.row,
                distances.reach, block.first + i - block.first_key, block.range(i).end,
                [](const float* from, float* to, int64_t count, int64_t step) {
                  if (step == 0) {
                    float sum = 0;
                    for (int64_t s = 0; s < count; ++s) sum += from[s];
                    if (count > 0) *to += sum;
                  } else {
#pragma omp simd
                    for (int64_t s = 0; s < count; ++s) to[s] += from[s];
                  }
                });
}

/// Scores become weights, in place; hidden ones 0.
HEED_LOOP void weigh_scores(float* scores, int64_t stride, const bool* __restrict valid,
                            const QueryBlock& block) {
  const int64_t width = padded(block.keys);
  for (int64_t i = 0; i < block.queries; ++i, scores += stride) {
    const KeyRange seen = block.range(i);
    const int64_t begin = seen.begin, end = seen.end;
    if (valid != nullptr)
#pragma omp simd
      for (int64_t s = begin; s < end; ++s) scores[s] = valid[s] ? scores[s] : kHidden;
    if (block.pattern.is_sparse())  // whose blocks have all keys
      block.pattern.each_gap(block.first + i, end, [&](int64_t from, int64_t to) {
        for (int64_t s = from; s < to; ++s) scores[s] = kHidden;
      });
    softmax(scores + begin, end - begin);
    for (int64_t s = 0; s < begin; ++s) scores[s] = 0;
    for (int64_t s = end; s < width; ++s) scores[s] = 0;
  }
}

/// The gradient of weights becomes that of scores, in place: w (g - sum of w g).
HEED_LOOP void weigh_scores_gradient(const float* __restrict weights, float* __restrict gradient,
                                     int64_t rows, int64_t width, int64_t stride) {
  for (int64_t i = 0; i < rows; ++i, weights += stride, gradient += stride) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t s = 0; s < width; ++s) sum += weights[s] * gradient[s];
#pragma omp simd
    for (int64_t s = 0; s < width; ++s) gradient[s] = weights[s] * (gradient[s] - sum);
  }
}

/// The sizes of a block of rows: in the caller's tensor they begin `stride` numbers apart, here
/// each fills whole lanes.
struct RowBlock {
  int64_t stride, count, head, wide;
};

template <class T>
HEED_LOOP void widen_rows(const T* __restrict from, float* __restrict to, float scale,
                          const RowBlock& rows) {
  const int64_t head = rows.head;
  for (int64_t i = 0; i < rows.count; ++i, from += rows.stride, to += rows.wide) {
    for (int64_t k = 0; k < head; ++k) to[k] = number(from[k]) * scale;
    for (int64_t k = head; k < rows.wide; ++k) to[k] = 0;
  }
}

template <class T>
HEED_LOOP void narrow_rows(const float* __restrict from, T* __restrict to, float scale,
                           const RowBlock& rows) {
  const int64_t head = rows.head;
  for (int64_t i = 0; i < rows.count; ++i, from += rows.wide, to += rows.stride)
    for (int64_t k = 0; k < head; ++k) put(to[k], from[k] * scale);
}

/// Copies rows [first, first + count) times `scale` to `out`, in whole lanes.
template <class Number>
void widen(const Grid<const Number>& rows, int64_t first, int64_t count, int64_t head, float scale,
           std::vector<float>& out) {
  const int64_t wide = padded(head);
  out.resize(static_cast<std::size_t>(count * wide));
  fastest<widen_rows<Number>>(rows.data + first * rows.row, out.data(), scale,
                              {rows.row, count, head, wide});
}

template <class Number>
void narrow(const std::vector<float>& from, const Grid<Number>& rows, int64_t first, int64_t count,
            int64_t head, float scale) {
  fastest<narrow_rows<Number>>(from.data(), rows.data + first * rows.row, scale,
                               {rows.row, count, head, padded(head)});
}

/// Transposes [rows, columns], both in whole lanes.
void transpose(const std::vector<float>& from, int64_t rows, int64_t columns,
               std::vector<float>& out) {
  out.resize(from.size());
  transpose_rows(from.data(), out.data(), rows, columns, 0, rows);
}

}  // namespace

template <class Number>
void HeadWork<Number>::read(const In& keys, const In& values, const HeadSize& size) {
  size_ = size;
  while (size_.valid != nullptr && size_.keys > 0 && !size_.valid[size_.keys - 1]) --size_.keys;
  wide_ = padded(size.head);
  long_ = padded(size_.keys);
  widen(keys, 0, size_.keys, size.head, 1, keys_);
  widen(values, 0, size_.keys, size.head, 1, values_);
  // Rows of zeros fill the last lanes of what is transposed.
  for (std::vector<float>* rows : {&keys_, &values_})
    rows->resize(static_cast<std::size_t>(long_ * wide_));
  transpose(keys_, long_, wide_, transposed_keys_);
  transposed_values_.clear();
  to_keys_.clear();
  to_values_.clear();
}

template <class Number>
QueryBlock HeadWork<Number>::block_at(int64_t first) const {
  const int64_t count = std::min(kBlock, size_.queries - first);
  const KeyRange seen = size_.pattern.range(first, count, size_.keys);
  const int64_t begin = seen.begin / kLanes * kLanes;
  return {first, count, begin, seen.end - begin, size_.pattern};
}

template <class Number>
void HeadWork<Number>::weigh(const In& query, const Distances<const float>& distances,
                             const QueryBlock& block) {
  widen(query, block.first, block.queries, size_.head, size_.scale, query_);
  weights_.resize(static_cast<std::size_t>(kBlock * long_));
  multiply({.a = {query_.data(), wide_},
            .b = {transposed_keys_.data() + block.first_key, long_},
            .c = {weights_.data(), long_},
            .rows = block.queries,
            .inner = size_.head,
            .width = padded(block.keys)});
  if (distances.rows.data != nullptr)
    fastest<add_distances>(weights_.data(), long_, distances, block);
  fastest<weigh_scores>(weights_.data(), long_,
                        size_.valid == nullptr ? nullptr : size_.valid + block.first_key, block);
}

template <class Number>
void HeadWork<Number>::attend(const In& query, const Distances<const float>& distances,
                              const Out& context) {
  result_.resize(static_cast<std::size_t>(kBlock * wide_));
  for (int64_t first = 0; first < size_.queries; first += kBlock) {
    const QueryBlock block = block_at(first);
    weigh(query, distances, block);
    multiply({.a = {weights_.data(), long_},
              .b = {values_.data() + block.first_key * wide_, wide_},
              .c = {result_.data(), wide_},
              .rows = block.queries,
              .inner = block.keys,
              .width = wide_});
    narrow(result_, context, first, block.queries, size_.head, 1);
  }
}

template <class Number>
void HeadWork<Number>::attend_backward(const In& query, const Distances<const float>& distances,
                                       const In& outer, const Out& to_query,
                                       const Distances<float>& to_distances) {
  if (transposed_values_.empty()) {
    transpose(values_, long_, wide_, transposed_values_);
    to_keys_.assign(keys_.size(), 0);
    to_values_.assign(values_.size(), 0);
  }
  to_scores_.resize(static_cast<std::size_t>(kBlock * long_));
  result_.resize(static_cast<std::size_t>(kBlock * wide_));
  for (int64_t first = 0; first < size_.queries; first += kBlock) {
    const QueryBlock block = block_at(first);
    weigh(query, distances, block);
    widen(outer, first, block.queries, size_.head, 1, outer_);
    multiply({.a = {weights_.data(), 1, long_},
              .b = {outer_.data(), wide_},
              .c = {to_values_.data() + block.first_key * wide_, wide_},
              .rows = block.keys,
              .inner = block.queries,
              .width = wide_,
              .add = true});
    multiply({.a = {outer_.data(), wide_},
              .b = {transposed_values_.data() + block.first_key, long_},
              .c = {to_scores_.data(), long_},
              .rows = block.queries,
              .inner = size_.head,
              .width = padded(block.keys)});
    fastest<weigh_scores_gradient>(weights_.data(), to_scores_.data(), block.queries,
                                   padded(block.keys), long_);
    if (to_distances.rows.data != nullptr)
      fastest<add_distance_gradients>(to_scores_.data(), long_, to_distances, block);
    multiply({.a = {to_scores_.data(), 1, long_},
              .b = {query_.data(), wide_},
              .c = {to_keys_.data() + block.first_key * wide_, wide_},
              .rows = block.keys,
              .inner = block.queries,
              .width = wide_,
              .add = true});
    multiply({.a = {to_scores_.data(), long_},
              .b = {keys_.data() + block.first_key * wide_, wide_},
              .c = {result_.data(), wide_},
              .rows = block.queries,
              .inner = block.keys,
              .width = wide_});
    narrow(result_, to_query, first, block.queries, size_.head, size_.scale);
  }
}

template <class Number>
void HeadWork<Number>::write_gradients(const Out& to_keys, const Out& to_values) const {
  narrow(to_keys_, to_keys, 0, size_.keys, size_.head, 1);
  narrow(to_values_, to_values, 0, size_.keys, size_.head, 1);
}

template class HeadWork<float>;
template class HeadWork<uint16_t>;

}  // namespace heed::kernels
