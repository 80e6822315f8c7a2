#include "engine/search_times.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "engine/matrix.h"
#include "engine/network.h"
#include "kernels/rows/versions.h"
#include "model/description/layer_sizes.h"

namespace heed::engine {
namespace {

// The time of a product grows with its columns, and, for all but narrow layers, with its inner
// size: measuring a part of a large layer is enough.
constexpr int64_t kLargestSide = 512;
constexpr int64_t kMostRows = 96;
constexpr int64_t kMultiplications = int64_t{1} << 22;  // or more, of all layers
constexpr double kEnough = 0.05;                        // seconds

/// Arbitrary numbers as large as weights and activations.
std::vector<float> some_numbers(int64_t count) {
  std::vector<float> numbers(count);
  uint32_t state = 1;
  for (float& number : numbers) {
    state = 1664525 * state + 1013904223;
    number = static_cast<float>(state >> 8) / (1U << 24) - 0.5F;
  }
  return numbers;
}

/// The products of a step with one format of weights.
class StepProducts {
 public:
  StepProducts(const std::vector<model::LayerSize>& sizes, const SearchRows& search,
               WeightFormat numbers, const std::vector<float>& source)
      : numbers_(numbers), x_(source) {
    const int64_t together = std::min(search.sentences, sentences_together(numbers));
    rows_ = std::clamp<int64_t>(together * search.beam, 1, kMostRows);
    const int64_t all = search.sentences * search.beam;
    int64_t of_a_row = 0;
    for (const model::LayerSize& size : sizes)
      of_a_row += std::min(size.in, kLargestSide) * std::min(size.out, kLargestSide);
    const int64_t measured_rows = std::max(std::min(all, kMostRows), kMultiplications / of_a_row);
    groups_ = std::max<int64_t>(1, measured_rows / rows_);
    for (const model::LayerSize& size : sizes) {
      const int64_t in = std::min(size.in, kLargestSide), out = std::min(size.out, kLargestSide);
      layers_.emplace_back(source.data(), out, in, numbers);
      const double part = static_cast<double>(in * out) / static_cast<double>(size.in * size.out);
      const double rows = static_cast<double>(groups_ * rows_) / static_cast<double>(all);
      weights_.push_back(static_cast<double>(size.count) / part / rows);
    }
    y_.resize(rows_ * kLargestSide);
  }

  /// Runs the layers one after the other, as in a network, so that each finds the weights of other
  /// layers in the cache.
  std::vector<double> seconds() {
    std::vector<double> seconds(layers_.size(), 0.0);
    for (int64_t group = 0; group < groups_; ++group)
      for (std::size_t i = 0; i < layers_.size(); ++i) {
        const Matrix& layer = layers_[i];
        const double begun = thread_seconds();
        left_.take(x_.data(), rows_, layer.inner(), numbers_);
        multiply(left_, layer, {}, y_.data(), layer.columns(), 0, layer.panels());
        seconds[i] += (thread_seconds() - begun) * weights_[i];
      }
    return seconds;
  }

 private:
  WeightFormat numbers_;
  const std::vector<float>& x_;
  int64_t rows_ = 0, groups_ = 0;
  std::vector<Matrix> layers_;
  std::vector<double> weights_;  // how many times as long the whole of such layers takes
  LeftFactor left_;
  std::vector<float> y_;
};

}  // namespace

PrecisionTimes search_times(const model::ModelConfig& config, const SearchRows& rows) {
  const auto sizes = model::layer_sizes(config, rows.vocabulary);
  const std::vector<float> numbers = some_numbers(kLargestSide * kLargestSide);
  std::vector<WeightFormat> formats{WeightFormat::fp32, WeightFormat::int8};
  if (kernels::processor().bf16_products) formats.push_back(WeightFormat::bf16);
  std::vector<std::function<std::vector<double>()>> runs;
  for (const WeightFormat format : formats) {
    const auto products = std::make_shared<StepProducts>(sizes, rows, format, numbers);
    runs.emplace_back([products] { return products->seconds(); });
  }
  const std::vector<double> seconds = median_times(runs, kEnough);
  PrecisionTimes times{.fp32 = seconds[0], .int8 = seconds[1]};
  if (seconds.size() > 2) times.bf16 = seconds[2];
  return times;
}

}  // namespace heed::engine
