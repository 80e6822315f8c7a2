#include "train/tree_sum.h"

#include <ATen/ATen.h>

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

}  // namespace

void TreeSum::add(int64_t part, Gradients gradients) {
  const auto parts = static_cast<int64_t>(slots_.size());
  int height = 0;
  for (int64_t first = part;; ++height) {
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
      heights_[sibling] = -1;
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
  expect(!slots_.empty() && heights_[0] >= 0, "every part added");
  return std::move(slots_[0]);
}

}  // namespace heed::train
