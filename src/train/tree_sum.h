// Gradients of the parts of one update, added along a binary tree that only their number shapes.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "kernels/tensor.h"

namespace heed::train {

/// One for each parameter; undefined where it has none.
using Gradients = std::vector<Tensor>;

/// Of 5 parts: ((0 + 1) + (2 + 3)) + 4, whatever the order in which they come. What is added is
/// given up at once, so that about log2(parts) sums stay.
class TreeSum {
 public:
  explicit TreeSum(int64_t parts) : slots_(parts), heights_(parts, -1) {}

  /// For several threads, once for each part. The gradients become the sum's: nobody else may hold
  /// them.
  void add(int64_t part, Gradients gradients);

  /// Once all parts are added.
  Gradients take();

 private:
  std::mutex mutex_;
  std::vector<Gradients> slots_;
  std::vector<int> heights_;  // of the subtree whose sum is in this slot, its first part; -1: none
};

}  // namespace heed::train
