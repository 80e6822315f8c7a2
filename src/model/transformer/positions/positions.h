// How a Transformer knows the order of words: one file and one line of registry.def for each kind.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "kernels/tensor.h"

namespace heed::model {

struct State;

/// Numbers that are added to the scores of self-attention by the distance key - query. Distances
/// beyond `reach` count as `reach`.
struct ScoresByDistance {
  int64_t reach = 0;
  Tensor numbers;  // [heads, 2 * reach + 1]; or undefined
  /// [2 * reach + 1, head]: the products of the query with these vectors are added, scaled as the
  /// scores; or undefined.
  Tensor vectors;

  bool any() const { return numbers.defined() || vectors.defined(); }
};

struct PositionsSize {
  int64_t width = 0, heads = 1;
  int64_t layers = 1;   // of one stack
  int64_t longest = 0;  // positions that learned vectors exist for
  bool causal = false;  // a decoder's: no query looks ahead

  int64_t head() const { return width / heads; }
};

/// The positions of one stack of layers. A kind overrides one of the first three.
class Positions : public torch::nn::Module {
 public:
  /// The vectors that are added to the embeddings of the positions from `first`: [length, width];
  /// or undefined. Throws UserError where learned positions end before them.
  virtual Tensor vectors(int64_t /*first*/, int64_t /*length*/) const { return {}; }
  /// The complex numbers by which the pairs (x(2i), x(2i + 1)) of queries and keys are multiplied:
  /// [length, head / 2]; or undefined.
  virtual Tensor rotations(int64_t /*first*/, int64_t /*length*/) const { return {}; }
  /// The scores by distance of a layer, from 0, for sentences of at most `length` pieces.
  virtual ScoresByDistance by_distance(int64_t /*layer*/, int64_t /*length*/) const { return {}; }
  /// The scores by distance of these heads alone; of all heads, where `heads` is empty.
  ScoresByDistance by_distance(int64_t layer, int64_t length,
                               const std::vector<int64_t>& heads) const;
  /// The longest sentence, in pieces.
  virtual int64_t longest() const { return std::numeric_limits<int64_t>::max(); }

  /// Adds vectors() to x [batch, length, width] at the positions from `first`.
  Tensor add(const Tensor& x, int64_t first) const;
  /// Adds vectors() to x [positions, width], each at the position that `positions` [positions]
  /// int64 says, which is below `end`.
  Tensor add_at(const Tensor& x, const Tensor& positions, int64_t end) const;
  /// Adds vectors() to x [sentences * beam, 1, width] of a step at the position of `state`.
  Tensor add_step(const Tensor& x, const State& state) const;
};

using PositionsPtr = std::shared_ptr<Positions>;

/// The pairs (x(2i), x(2i + 1)) of x [..., head] as complex numbers times `rotations`, which
/// broadcast to [..., head / 2].
Tensor turned(const Tensor& x, const Tensor& rotations);

/// Makes the positions with a name of registry.def. Throws Bug for another name, which check()
/// refuses.
PositionsPtr make_positions(const std::string& name, const PositionsSize& size);

/// The scores to add as [batch or 1, heads, queries, keys] fp32 or double, from queries [batch,
/// heads, queries, head] at the positions from `first_query` and as many keys from `first_key`.
Tensor added_scores(const ScoresByDistance& scores, const Tensor& query, double scale,
                    int64_t first_query, int64_t first_key, int64_t keys);

/// The scores to add by distance: [positions, heads, 2 * reach + 1], or [1, ...] where they do not
/// depend on queries, from queries [positions, heads, head].
Tensor numbers_by_distance(const ScoresByDistance& scores, const Tensor& query, double scale);

/// The functions of kernels/rows/positions.h as tensors on the CPU: [length, width] float and
/// [length, head / 2] complex.
Tensor sinusoids(int64_t first, int64_t length, int64_t width);
Tensor unit_rotations(int64_t first, int64_t length, int64_t head);

/// A constant with a row for each position, computed once for usual lengths and, for longer ones,
/// at each call. It moves with its owner but is no weight: it is not saved.
class PositionTable : public torch::nn::Module {
 public:
  using MakeRows = Tensor (*)(int64_t first, int64_t length, int64_t width);
  PositionTable(MakeRows rows, int64_t width);

  /// The rows of the positions from `first`: [length, ...].
  Tensor rows(int64_t first, int64_t length) const;

  using torch::nn::Module::to;
  void to(at::Device device, at::ScalarType dtype, bool non_blocking) override;
  void to(at::ScalarType dtype, bool non_blocking) override;
  void to(at::Device device, bool non_blocking) override;

 private:
  void convert(at::ScalarType dtype);
  MakeRows rows_;
  int64_t width_;
  Tensor table_;
};

}  // namespace heed::model
