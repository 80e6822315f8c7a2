#include "train/update_times.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>

#include "base/machine.h"
#include "kernels/output_loss.h"
#include "kernels/product.h"
#include "kernels/share_out.h"
#include "model/description/layer_sizes.h"
#include "model/device.h"

namespace heed::train {
namespace {

using at::Tensor;
using model::LayerSize;
using Rows = LayerSize::Rows;

// The time of a product grows with its columns, and, for all but narrow layers, with its inner
// size: a part of a large layer tells it. Likewise some of the rows, where they are not so few that
// preparing the weights counts.
constexpr int64_t kLargestSide = 1024;
constexpr int64_t kFewestRows = 128;
constexpr double kMultiplications = 6e8;  // of all products, in one precision
constexpr int64_t kLength = 25;           // pieces of a sentence, as is usual

/// Any numbers of the size that weights and activations have. No generator gives them: the run's
/// own begins with its seed.
Tensor some_numbers(int64_t rows, int64_t columns) {
  return at::arange(rows * columns, at::kFloat).sin_().mul_(0.1).view({rows, columns});
}

/// A part of a layer, and how many times as long the whole of such layers takes.
struct Sample {
  int64_t in = 0, out = 0, rows = 0;
  Rows kind = Rows::all;
  double weight = 0;
};

std::vector<Sample> samples_of(const model::ModelConfig& config, const UpdatePart& part) {
  std::vector<Sample> samples;
  double row = 0;  // multiplications
  for (const LayerSize& size : model::layer_sizes(config, part.vocabulary)) {
    Sample& sample = samples.emplace_back(Sample{.in = std::min(size.in, kLargestSide),
                                                 .out = std::min(size.out, kLargestSide),
                                                 .kind = size.rows});
    const auto multiplied = static_cast<double>(sample.in * sample.out);
    sample.weight =
        static_cast<double>(size.count) * static_cast<double>(size.in * size.out) / multiplied;
    row += 3 * multiplied;  // the product, and the gradients of both factors
  }
  const int64_t rows =
      std::min(std::max(static_cast<int64_t>(kMultiplications / row), kFewestRows), part.tokens);
  for (Sample& sample : samples) sample.rows = std::max<int64_t>(rows, 1);
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
  const Tensor weight = some_numbers(sample.out, sample.in).requires_grad_();
  // States of a recurrence are fp32. What else a layer reads has the type of its product.
  const Tensor x = some_numbers(sample.rows, sample.in)
                       .to(sample.kind == Rows::step ? at::kFloat : type)
                       .requires_grad_();
  const Tensor outer = some_numbers(sample.rows, sample.out).to(type);
  const Tensor gold = at::zeros({sample.rows}, at::kLong);
  const double begun = thread_seconds();
  if (sample.kind == Rows::output) {
    const auto loss = kernels::output_loss(x, weight, {}, gold, 0.1, type);
    torch::autograd::grad({loss.smoothed}, {x, weight});
  } else {
    const Tensor y =
        sample.kind == Rows::step ? after_steps(x, weight, sentences) : kernels::linear(x, weight);
    torch::autograd::grad({y}, {x, weight}, {outer});
  }
  return (thread_seconds() - begun) * sample.weight;
}

}  // namespace

PrecisionTimes update_times(const model::ModelConfig& config, const UpdatePart& part) {
  const std::vector<Sample> samples = samples_of(config, part);
  const int64_t sentences = std::max<int64_t>(part.tokens / kLength, 1);
  PrecisionTimes times;
  // LibTorch has a single thread inside, as where each thread computes a part of its own.
  kernels::share_out(1, [&](int64_t, int64_t) {
    const at::AutoGradMode with_gradients(true);
    times = time_precisions([&](bool bf16) {
      std::vector<double> seconds;
      for (const Sample& sample : samples) seconds.push_back(seconds_of(sample, sentences, bf16));
      return seconds;
    });
  });
  return times;
}

}  // namespace heed::train
