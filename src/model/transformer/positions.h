// How a Transformer knows the order of words.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>

#include "kernels/tensor.h"
#include "model/config.h"

namespace heed::model {

/// PE(pos, 2i) = sin(pos / 10000^(2i / width)), PE(pos, 2i + 1) = cos of the same (Vaswani et al.
/// 2017, 3.5), for the positions first..first + length - 1: [length, width] float on the CPU.
Tensor sinusoids(int64_t first, int64_t length, int64_t width);

/// Cosine and sine of position / 10000^(2i / head), beside each other: [length, head] float on the
/// CPU.
Tensor rotations(int64_t first, int64_t length, int64_t head);

/// A constant with a row for each position, computed once for usual lengths and, beyond, when
/// asked. It moves with its owner but is no weight: it is not saved.
class PositionTable : public torch::nn::Module {
 public:
  using MakeRows = Tensor (*)(int64_t first, int64_t length, int64_t width);
  PositionTable(MakeRows rows, int64_t width);

  /// [length, ...] for the positions from `first`.
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

/// What is added to the embeddings: sinusoidal, learned, or nothing (rotary positions rotate
/// queries and keys).
class Positioning : public torch::nn::Module {
 public:
  /// `longest`: positions that learned vectors exist for.
  Positioning(Positions kind, int64_t width, int64_t longest);

  /// x [batch, length, width] at the positions from `first`. Throws UserError where learned
  /// positions end before.
  Tensor add(const Tensor& x, int64_t first) const;
  /// x [positions, width], each at the position that `positions` [positions] int64 says.
  Tensor add_at(const Tensor& x, const Tensor& positions) const;

  /// The longest sentence, in pieces.
  int64_t longest() const;

 private:
  Tensor rows(int64_t first, int64_t length) const;  // or undefined
  std::shared_ptr<PositionTable> sinusoidal_;
  Tensor learned_;  // [longest, width]
};

/// Rotary positions (Su et al. 2021, eq. 34): the pair (x(2i), x(2i + 1)) at position p is rotated
/// by the angle p / 10000^(2i / head), so that products of queries and keys know their distance
/// alone.
class Rotary : public torch::nn::Module {
 public:
  /// `head`: the width of one head, even.
  explicit Rotary(int64_t head);

  /// x [batch, length, heads, head] at the positions from `first`.
  Tensor forward(const Tensor& x, int64_t first) const;
  /// x [positions, heads, head], each at the position that `positions` [positions] int64 says.
  Tensor forward_at(const Tensor& x, const Tensor& positions) const;
  /// x [..., head], all at one position.
  Tensor at_position(const Tensor& x, int64_t position) const;

 private:
  std::shared_ptr<PositionTable> rotations_;  // [positions, head / 2] complex
};

}  // namespace heed::model
