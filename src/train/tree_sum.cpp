#include "train/tree_sum.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace heed::train {
namespace {

void add_to(Gradients& sum, const Gradients& other) {
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    if (!other[i].defined()) continue;
    if (sum[i].defined())
      sum[i].add_(other[i]);
    else
      sum[i] = other[i];
  }
}

/// Whether `node` lies within [begin, end), or its last part is the tree's last one.
bool within(const TreeNode& node, int64_t begin, int64_t end, int64_t parts) {
  return node.first >= begin && std::min(parts, node.first + (int64_t{1} << node.height)) <= end;
}

void collect(const TreeNode& node, int64_t begin, int64_t end, int64_t parts,
             std::vector<TreeNode>& out) {
  const int64_t width = int64_t{1} << node.height;
  if (node.first >= end || node.first + width <= begin) return;
  if (within(node, begin, end, parts)) {
    out.push_back(node);
    return;
  }
  collect({node.first, node.height - 1}, begin, end, parts, out);
  collect({node.first + width / 2, node.height - 1}, begin, end, parts, out);
}

}  // namespace

std::vector<TreeNode> nodes_of(int64_t begin, int64_t end, int64_t parts) {
  std::vector<TreeNode> nodes;
  if (begin >= end) return nodes;
  int height = 0;
  while ((int64_t{1} << height) < parts) ++height;
  collect({0, height}, begin, end, parts, nodes);
  return nodes;
}

void TreeSum::add(const TreeNode& node, Gradients gradients) {
  const auto parts = static_cast<int64_t>(slots_.size());
  int height = node.height;
  for (int64_t first = node.first;; ++height) {
    const int64_t width = int64_t{1} << height;  // of the subtree, but for the last one
    if (width >= parts) break;
    const int64_t sibling = first ^ width;
    if (sibling >= parts) continue;  // has no part: the sum moves up as it is
    Gradients other;
    {
      const std::lock_guard lock(mutex_);
      if (heights_[sibling] != height) {
        // Whoever brings the sibling goes on from here.
        slots_[first] = std::move(gradients);
        heights_[first] = height;
        return;
      }
      other = std::move(slots_[sibling]);
      heights_[sibling] = kEmpty;
    }
    if (sibling < first) std::swap(gradients, other);
    add_to(gradients, other);
    first &= ~width;
  }
  const std::lock_guard lock(mutex_);
  slots_[0] = std::move(gradients);
  heights_[0] = height;
}

Gradients TreeSum::take() {
  expect(!slots_.empty() && heights_[0] != kEmpty, "every part added");
  return std::move(slots_[0]);
}

Gradients TreeSum::take(const TreeNode& node) {
  expect(heights_[node.first] == node.height, "every part of the node added");
  heights_[node.first] = kEmpty;
  return std::move(slots_[node.first]);
}

}  // namespace heed::train
