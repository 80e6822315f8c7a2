// Products of rows with rearranged matrices, their columns shared among threads.
#pragma once

#include "engine/threads.h"
#include "engine/weights.h"

namespace heed::engine {

inline constexpr int64_t kRowsWorthAThread = 16;

/// One left factor after another. Each decoder has one: what a row was rounded to is kept.
class Products {
 public:
  explicit Products(const Threads& threads) : threads_(threads) {}

  /// The left factor of what follows: x [rows, inner], which must stay until the next.
  void take(const Linear& linear, const float* x, int64_t rows);
  /// to [rows, columns] = finish(x W^T + b).
  void product(const Linear& linear, float* to, Finish finish = {});
  /// Both.
  void product(const Linear& linear, const float* x, int64_t rows, float* to, Finish finish = {}) {
    take(linear, x, rows);
    product(linear, to, finish);
  }

 private:
  const Threads& threads_;
  LeftFactor taken_;
};

}  // namespace heed::engine
