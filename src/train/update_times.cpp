#include "train/update_times.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <vector>

#include "kernels/divide_work.h"
#include "kernels/output_loss.h"
#include "kernels/product.h"
#include "model/description/layer_sizes.h"
#include "model/device.h"

namespace heed::train {
namespace {

using at::Tensor;
using model::LayerSize;
using Rows = LayerSize::Rows;

// The time of a product grows with its columns, and, for all but narrow layers, with its inner
// size: a part of a large layer tells it. Likewise some of the rows, where they are not so few that
// preparing the weights counts. An output layer whose logits are worked on in blocks of fewer rows
// (kernels::rows_together()) reads all of its weights and gradients for each of them, from memory.
// Then a block is measured, with so many columns that the nearest caches do not hold them.
constexpr int64_t kLargestSide = 512;
constexpr int64_t kMostColumns = 4096;
constexpr int64_t kFewestRows = 128;
constexpr double kMultiplications = 5e8;  // of all products, in one precision
constexpr int64_t kLength = 25;           // pieces of a sentence, as is usual
constexpr double kEnough = 0.2;           // seconds of a measurement

/// Any numbers of the size that weights and activations have. No generator gives them: the run's
/// own begins with its seed.
Tensor some_numbers(int64_t rows, int64_t columns) {
  return at::arange(rows * columns, at::kFloat).sin_().mul_(0.1).view({rows, columns});
}

/// A part of a layer, what it reads, the gradient of what it gives, and how many times as long the
/// whole of such layers takes.
struct Sample {
  Tensor weight, x, outer;  // [out, in], [rows, in], [rows, out]; an output layer has no `outer`
  Rows rows = Rows::all;
  double times = 0;
  int64_t vocabulary = 0;  // of an output layer in blocks of few rows

  /// The rows that are multiplied at once in `type`.
  int64_t rows_at_once(at::ScalarType type) const {
    const int64_t all = x.size(0);
    return vocabulary > 0 ? std::min(kernels::rows_together(vocabulary, type), all) : all;
  }
};

std::vector<Sample> samples_of(const model::ModelConfig& config, const UpdatePart& part) {
  const auto sizes = model::layer_sizes(config, part.vocabulary);
  const auto side = [](int64_t whole) { return std::min(whole, kLargestSide); };
  double of_a_row = 0;  // multiplications: the product's, and those of both factors' gradients
  for (const LayerSize& size : sizes)
    of_a_row += 3 * static_cast<double>(side(size.in) * side(size.out));
  const int64_t enough = std::max(static_cast<int64_t>(kMultiplications / of_a_row), kFewestRows);
  const int64_t rows = std::clamp<int64_t>(part.tokens, 1, enough);
  std::vector<Sample> samples;
  for (const LayerSize& size : sizes) {
    const bool in_blocks =
        size.rows == Rows::output && kernels::rows_together(size.out, at::kFloat) < kFewestRows;
    const int64_t in = side(size.in),
                  out = std::min(size.out, in_blocks ? kMostColumns : kLargestSide);
    samples.push_back({.weight = some_numbers(out, in),
                       .x = some_numbers(rows, in),
                       .outer = size.rows == Rows::output ? Tensor() : some_numbers(rows, out),
                       .rows = size.rows,
                       .times = static_cast<double>(size.count * size.in * size.out) /
                                static_cast<double>(in * out),
                       .vocabulary = in_blocks ? size.out : 0});
  }
  return samples;
}

/// The steps of a recurrence multiply with one weight, which is prepared for all of them.
Tensor after_steps(const Tensor& x, const Tensor& weight, int64_t sentences) {
  const kernels::Collected layer = kernels::collected(weight);
  std::vector<Tensor> steps;
  for (const Tensor& rows : x.split(sentences))
    steps.push_back(kernels::collected_linear(rows, layer));
  return at::cat(steps);
}

double seconds_of(const Sample& sample, int64_t sentences, bool bf16) {
  const at::ScalarType type = bf16 ? at::kBFloat16 : at::kFloat;
  const model::Autocast autocast(at::kCPU, type);
  const Tensor weight = sample.weight.detach().requires_grad_();
  // States of a recurrence are fp32. What else a layer reads has the type of its product.
  const int64_t rows = sample.rows_at_once(type);
  const Tensor x =
      sample.x.narrow(0, 0, rows).to(sample.rows == Rows::step ? at::kFloat : type).detach();
  x.requires_grad_();
  const Tensor outer = sample.outer.defined() ? sample.outer.to(type) : Tensor();
  const double begun = thread_seconds();
  if (sample.rows == Rows::output) {
    const Tensor gold = at::zeros({x.size(0)}, at::kLong);
    const auto loss = kernels::output_loss(x, weight, {}, gold, 0.1, type);
    torch::autograd::grad({loss.smoothed}, {x, weight});
  } else {
    const Tensor y =
        sample.rows == Rows::step ? after_steps(x, weight, sentences) : kernels::linear(x, weight);
    torch::autograd::grad({y}, {x, weight}, {outer});
  }
  const double parts = static_cast<double>(sample.x.size(0)) / static_cast<double>(rows);
  return (thread_seconds() - begun) * sample.times * parts;
}

}  // namespace

PrecisionTimes update_times(const model::ModelConfig& config, const UpdatePart& part) {
  const std::vector<Sample> samples = samples_of(config, part);
  const int64_t sentences = std::max<int64_t>(part.tokens / kLength, 1);
  PrecisionTimes times;
  // LibTorch has a single thread inside, as where each thread computes a part of its own.
  kernels::divide_work(1, [&](int64_t, int64_t) {
    const at::AutoGradMode with_gradients(true);
    const auto in = [&](bool bf16) {
      return [&, bf16] {
        std::vector<double> seconds;
        for (const Sample& sample : samples) seconds.push_back(seconds_of(sample, sentences, bf16));
        return seconds;
      };
    };
    const std::vector<MedianTime> found = median_times({in(false), in(true)}, kEnough);
    times = {.fp32 = found[0].seconds,
             .bf16 = found[1].seconds,
             .spread = std::max(found[0].spread, found[1].spread)};
  });
  return times;
}

}  // namespace heed::train
