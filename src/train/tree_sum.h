// Gradients of the parts of one update, added along a binary tree that only their number shapes.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "kernels/tensor.h"

namespace heed::train {

/// One for each parameter; undefined where it has none.
using Gradients = std::vector<Tensor>;

/// A subtree: the sum of the parts from `first` on, 2^height of them but for what lies behind the
/// last part.
struct TreeNode {
  int64_t first = 0;
  int height = 0;
  bool operator==(const TreeNode&) const = default;
};

/// The largest subtrees of a tree over `parts` that hold parts [begin, end) and no others, from
/// left to right: what is left in a TreeSum once these are added.
std::vector<TreeNode> nodes_of(int64_t begin, int64_t end, int64_t parts);

/// Of 5 parts: ((0 + 1) + (2 + 3)) + 4, whatever the order in which they come. What is added is
/// given up at once, so that about log2(parts) sums stay.
class TreeSum {
 public:
  explicit TreeSum(int64_t parts) : slots_(parts), heights_(parts, kEmpty) {}

  /// For several threads, once for each part, or once for a node in place of all its parts. The
  /// gradients become the sum's: nobody else may hold them.
  void add(const TreeNode& node, Gradients gradients);
  void add(int64_t part, Gradients gradients) { add(TreeNode{part, 0}, std::move(gradients)); }

  /// Once all parts are added.
  Gradients take();
  /// The sum of a node, once all parts of it and no others beside it are added.
  Gradients take(const TreeNode& node);

 private:
  static constexpr int kEmpty = -1;
  std::mutex mutex_;
  std::vector<Gradients> slots_;
  std::vector<int> heights_;  // of the subtree whose sum is in this slot, its first part
};

}  // namespace heed::train
