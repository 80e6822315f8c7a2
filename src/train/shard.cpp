#include "train/shard.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstddef>
#include <unordered_set>

#include "base/error.h"
#include "model/model.h"

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

Tensor WeightBlock::of(const Tensor& tensor) const {
  return tensor.reshape({-1}).narrow(0, begin, size);
}

std::vector<WeightBlock> blocks_of(const std::vector<Tensor>& tensors) {
  constexpr int64_t kMost = 1 << 16;
  std::vector<WeightBlock> blocks;
  for (std::size_t i = 0; i < tensors.size(); ++i)
    for (int64_t begin = 0; begin < tensors[i].numel(); begin += kMost)
      blocks.push_back({i, begin, std::min(kMost, tensors[i].numel() - begin)});
  return blocks;
}

NamedTensors trainable(const model::Model& model) {
  NamedTensors out;
  std::unordered_set<const void*> seen;
  for (const auto& item : model.named_parameters())
    if (item.value().requires_grad() && seen.insert(item.value().unsafeGetTensorImpl()).second)
      out.emplace(item.key(), item.value());
  return out;
}

Shard::Shard(const model::Model& model, ranks::Group& group) : group_(group) {
  int64_t total = 0;
  for (const auto& [name, parameter] : trainable(model)) {
    names_.push_back(name);
    parameters_.push_back(parameter.detach());
    total += parameter.numel();
  }
  has_gradient_.resize(names_.size());
  blocks_.resize(group.size());
  int64_t rank = 0, before = 0;
  borders_ = {0};
  for (const WeightBlock& block : blocks_of(parameters_)) {
    while (rank + 1 < group.size() && before >= total * (rank + 1) / group.size()) {
      borders_.push_back(before);
      ++rank;
    }
    before += block.size;
    ++blocks_[rank];
    if (rank != group.rank()) continue;
    if (!pieces_.empty() && pieces_.back().tensor == block.tensor)
      pieces_.back().size += block.size;
    else
      pieces_.push_back(block);
  }
  borders_.resize(group.size() + 1, before);
  for (const WeightBlock& piece : pieces_) weights_.push_back(piece.of(parameters_[piece.tensor]));
}

std::vector<Tensor> Shard::pieces_of(const NamedTensors& whole) const {
  std::vector<Tensor> out;
  for (const WeightBlock& piece : pieces_) out.push_back(piece.of(whole.at(names_[piece.tensor])));
  return out;
}

std::pair<int64_t, int64_t> Shard::range(int64_t parts, int64_t rank) const {
  return {parts * rank / group_.size(), parts * (rank + 1) / group_.size()};
}

std::vector<TreeNode> Shard::nodes(int64_t parts, int64_t rank) const {
  const auto [begin, end] = range(parts, rank);
  return nodes_of(begin, end, parts);
}

/// Returns the gradients of all parameters, one after the other.
Tensor Shard::flat(const Gradients& gradients) const {
  const Tensor all = at::zeros({borders_.back()}, parameters_[0].options());
  int64_t at = 0;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const int64_t size = parameters_[i].numel();
    if (gradients[i].defined()) all.narrow(0, at, size).copy_(gradients[i].reshape({-1}));
    at += size;
  }
  return all;
}

/// The parameters that have gradients follow from the model and are the same in each update, so
/// that the ranks agree on them once. A rank that computes no part cannot know them by itself.
void Shard::note_gradients(const std::vector<Gradients>& nodes) {
  std::vector<int64_t> mine(names_.size());
  for (const Gradients& node : nodes)
    for (std::size_t i = 0; i < mine.size(); ++i) mine[i] |= node[i].defined() ? 1 : 0;
  const bool known = std::ranges::find(has_gradient_, true) != has_gradient_.end();
  if (group_.alone() || !known)
    for (const auto& one : group_.gather(mine))
      for (std::size_t i = 0; i < mine.size(); ++i) has_gradient_[i] = one[i] != 0;
  else if (!nodes.empty())
    for (std::size_t i = 0; i < mine.size(); ++i)
      expect((mine[i] != 0) == has_gradient_[i], "gradients of the same parameters each time");
}

Gradients Shard::sum(int64_t parts, std::vector<Gradients> nodes) {
  const at::NoGradGuard no_grad;
  note_gradients(nodes);
  Gradients out;
  if (group_.alone()) {
    for (const Tensor& gradient : nodes.at(0))
      out.push_back(gradient.defined() ? gradient.reshape({-1}) : Tensor());
    return out;
  }
  const int64_t mine = group_.rank(), ranks = group_.size();
  std::vector<Tensor> sums, pieces;
  for (Gradients& node : nodes) {
    sums.push_back(flat(node));
    node.clear();
  }
  std::vector<int64_t> sent, received;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    for (const Tensor& sum : sums) pieces.push_back(sum.narrow(0, borders_[rank], width(rank)));
    sent.push_back(width(rank) * std::ssize(sums));
    received.push_back(width(mine) * std::ssize(this->nodes(parts, rank)));
  }
  const auto plain = parameters_[0].options().dtype(at::kFloat);
  const Tensor all = group_.exchange(sums.empty()       ? at::empty({0}, plain)
                                     : sums.size() == 1 ? sums[0]
                                                        : at::cat(pieces),
                                     sent, received);
  TreeSum tree(parts);
  int64_t at = 0;
  for (int64_t rank = 0; rank < ranks; ++rank)
    for (const TreeNode& node : this->nodes(parts, rank)) {
      tree.add(node, {all.narrow(0, at, width(mine))});
      at += width(mine);
    }
  const Tensor sum = tree.take()[0];
  at = 0;
  for (const WeightBlock& piece : pieces_) {
    out.push_back(has_gradient_[piece.tensor] ? sum.narrow(0, at, piece.size) : Tensor());
    at += piece.size;
  }
  return out;
}

/// Copies each rank's pieces, one after the other, into `whole`, of which there is one for each
/// parameter.
void Shard::copy_all(const std::vector<Tensor>& pieces, const std::vector<Tensor>& whole) const {
  int64_t longest = 0, at = 0;
  for (int64_t rank = 0; rank < group_.size(); ++rank) longest = std::max(longest, width(rank));
  const Tensor mine = at::zeros({longest}, parameters_[0].options());
  for (const Tensor& piece : pieces) {
    mine.narrow(0, at, piece.numel()).copy_(piece);
    at += piece.numel();
  }
  const Tensor all = group_.gather(mine);
  for (int64_t rank = 0, next = 0, filled = 0; rank < group_.size(); ++rank)
    for (int64_t used = 0; used < width(rank);) {
      const Tensor to = whole[next].view({-1});
      const int64_t size = std::min(width(rank) - used, to.numel() - filled);
      to.narrow(0, filled, size).copy_(all[rank].narrow(0, used, size));
      used += size;
      filled += size;
      if (filled < to.numel()) continue;
      ++next;
      filled = 0;
    }
}

NamedTensors Shard::whole(const std::vector<Tensor>& pieces) const {
  const at::NoGradGuard no_grad;
  std::vector<Tensor> all;
  for (std::size_t i = 0; i < names_.size(); ++i)
    all.push_back(group_.alone() ? pieces[i].reshape(parameters_[i].sizes())
                                 : at::empty_like(parameters_[i]));
  if (!group_.alone()) copy_all(pieces, all);
  NamedTensors out;
  for (std::size_t i = 0; i < names_.size(); ++i) out.emplace(names_[i], all[i]);
  return out;
}

void Shard::gather_weights() {
  const at::NoGradGuard no_grad;
  if (!group_.alone()) copy_all(weights_, parameters_);
}

Tensor Shard::of_all_blocks(const Tensor& numbers) const {
  if (group_.alone()) return numbers;
  const int64_t most = *std::ranges::max_element(blocks_);
  const Tensor mine = at::zeros({most}, numbers.options());
  mine.narrow(0, 0, numbers.numel()).copy_(numbers);
  const Tensor padded = group_.gather(mine);
  std::vector<Tensor> all;
  for (int64_t rank = 0; rank < group_.size(); ++rank)
    all.push_back(padded[rank].narrow(0, 0, blocks_[rank]));
  return at::cat(all);
}

}  // namespace heed::train
