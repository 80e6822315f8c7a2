// Gradients of the parts of one update, added along a binary tree that only their number shapes;
// and which part of a model's weights this rank looks after: it sums their gradients, keeps their
// moments and their average, and steps them. (ZeRO stage 1, Rajbhandari et al. 2020.) A rank that
// is alone looks after all.
//
// The weights, one after the other, are cut at borders of blocks (WeightBlock) into as many
// stretches as there are ranks: a sum over blocks in order, and a loop over one block, is the same
// whoever holds it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "kernels/tensor.h"
#include "model/pointer.h"
#include "ranks/group.h"

namespace heed::train {

/// One for each parameter; undefined where it has none.
using Gradients = std::vector<Tensor>;

/// A subtree: the sum of the parts from `first` on, 2^height of them, without those after the last
/// part.
struct TreeNode {
  int64_t first = 0;
  int height = 0;
  bool operator==(const TreeNode&) const = default;
};

/// The largest subtrees of a tree over `parts` that hold parts [begin, end) and no others, from
/// left to right: what is left in a TreeSum once these are added.
std::vector<TreeNode> nodes_of(int64_t begin, int64_t end, int64_t parts);

/// Adds the gradients of parts along a binary tree, for example ((0 + 1) + (2 + 3)) + 4, whatever
/// the order in which they come. Gradients are freed as soon as they are added, so that about
/// log2(parts) sums remain.
class TreeSum {
 public:
  explicit TreeSum(int64_t parts) : slots_(parts), heights_(parts, kEmpty) {}

  /// Adds a node: once for each part, or once for a larger node in place of all its parts. Several
  /// threads may call it. The sum overwrites the gradients, which nobody else may use.
  void add(const TreeNode& node, Gradients gradients);
  void add(int64_t part, Gradients gradients) { add(TreeNode{part, 0}, std::move(gradients)); }

  /// Returns the sum, once all parts are added.
  Gradients take();
  /// Returns the sum of a node, once all parts of it and no others beside it are added.
  Gradients take(const TreeNode& node);

 private:
  static constexpr int kEmpty = -1;
  std::mutex mutex_;
  std::vector<Gradients> slots_;
  std::vector<int> heights_;  // of the subtree whose sum is in this slot, its first part
};

/// A block of elementwise work on tensors of the CPU. Blocks do not depend on the number of
/// threads: a loop that is cut by this number would round differently where its vectors end.
struct WeightBlock {
  std::size_t tensor = 0;  // which of the list
  int64_t begin = 0, size = 0;

  /// [size], of a tensor as large as that one, in its memory where it is contiguous.
  Tensor of(const Tensor& tensor) const;
};

/// Returns blocks of at most 65,536 elements, in the order of the list.
std::vector<WeightBlock> blocks_of(const std::vector<Tensor>& tensors);

using NamedTensors = std::map<std::string, Tensor>;

/// The trainable parameters by dotted name, tied ones once (not copied).
NamedTensors trainable(const model::Model& model);

class Shard {
 public:
  /// Takes the model's parameters, which must be on their device already and stay there. Model and
  /// group must outlive this object.
  Shard(const model::Model& model, ranks::Group& group);

  ranks::Group& group() const { return group_; }
  const std::vector<std::string>& names() const { return names_; }
  /// Returns all parameters, in the order of names(); they have no gradients of their own.
  const std::vector<Tensor>& parameters() const { return parameters_; }

  /// Returns the weights that this rank owns: one block of each parameter of which it owns some.
  const std::vector<WeightBlock>& pieces() const { return pieces_; }
  /// Returns the tensors of pieces(), [size] each, in the parameters' memory.
  const std::vector<Tensor>& weights() const { return weights_; }

  /// A tensor [size] for each piece, of whole ones; in their memory where they are contiguous.
  std::vector<Tensor> pieces_of(const NamedTensors& whole) const;

  /// Returns which parts of an update a rank computes: [begin, end). Without `rank` it is this one.
  std::pair<int64_t, int64_t> range(int64_t parts, int64_t rank) const;
  std::pair<int64_t, int64_t> range(int64_t parts) const { return range(parts, group_.rank()); }

  // Collective from here on (ranks/group.h).

  /// The sum over all parts, of each piece: [size], undefined where its parameter has no gradient.
  /// `nodes` are those of range(), with this rank's sums.
  Gradients sum(int64_t parts, std::vector<Gradients> nodes);
  /// Whether parameter i had a gradient in the last sum().
  bool has_gradient(std::size_t i) const { return has_gradient_[i]; }

  /// Returns whole tensors from each rank's pieces.
  NamedTensors whole(const std::vector<Tensor>& pieces) const;
  /// Makes parameters() the same on all ranks again after each has changed its weights().
  void gather_weights();
  /// Returns the numbers of all ranks, one for each block of their pieces, in the blocks' order.
  Tensor of_all_blocks(const Tensor& numbers) const;

 private:
  std::vector<TreeNode> nodes(int64_t parts, int64_t rank) const;
  int64_t width(int64_t rank) const { return borders_[rank + 1] - borders_[rank]; }
  void copy_all(const std::vector<Tensor>& pieces, const std::vector<Tensor>& whole) const;
  Tensor flat(const Gradients& gradients) const;
  void note_gradients(const std::vector<Gradients>& nodes);

  ranks::Group& group_;
  std::vector<std::string> names_;
  std::vector<Tensor> parameters_, weights_;
  std::vector<WeightBlock> pieces_;
  std::vector<int64_t> borders_;  // [ranks + 1] elements before each rank's stretch
  std::vector<int64_t> blocks_;   // [ranks] blocks of each
  std::vector<bool> has_gradient_;
};

}  // namespace heed::train
