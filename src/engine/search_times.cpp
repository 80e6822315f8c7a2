#include "engine/search_times.h"

#include <algorithm>
#include <cmath>
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
// size: measuring a part of a large layer is enough, if its weights come from where those of the
// whole network do. A step of a large network reads all of them from memory, and there the bytes of
// a format count more than its multiplications. So as many weights are laid out as the network has,
// up to a limit that exceeds most caches, and each product takes those that follow.
constexpr int64_t kLargestSide = 512;
constexpr int64_t kMostWeights = int64_t{1} << 24;  // 112 MiB in the three formats
constexpr int64_t kMostRows = 96;
constexpr int64_t kLength = 25;                         // pieces of a sentence, as is usual
constexpr int64_t kMultiplications = int64_t{1} << 22;  // or more, of all layers
constexpr double kEnough = 0.05;                        // seconds

/// How layers of one size are measured: the weights of one layer after the other are a matrix of
/// some more columns, of which each product takes so many as a layer has, or a part of them. Those
/// that read the source are measured with the same weights and more rows.
struct Sample {
  int64_t in = 0, out = 0;  // of a product
  int64_t products = 0;     // until its weights are read again
  // Weights of all layers of the size by those of a product: in each step, and for the source.
  double of_step = 0, of_source = 0;

  int64_t columns() const { return products * out; }
};

struct Samples {
  std::vector<Sample> layers;
  bool is_whole = true;  // as many weights as the network has
};

Samples samples_of(const std::vector<model::LayerSize>& sizes) {
  double all = 0;  // weights, of `in` numbers a column
  for (const model::LayerSize& size : sizes)
    all += static_cast<double>(std::min(size.in, kLargestSide) * size.out *
                               (size.count - size.of_source));
  const double share = std::min(1.0, static_cast<double>(kMostWeights) / all);
  Samples samples{.is_whole = share == 1};
  for (const model::LayerSize& size : sizes) {
    // Whole panels, so that a product is one of consecutive panels.
    const int64_t panels = (size.out + Matrix::kPanel - 1) / Matrix::kPanel;
    Sample sample{.in = std::min(size.in, kLargestSide),
                  .out = std::min(panels * Matrix::kPanel, kLargestSide)};
    const double layer = static_cast<double>(size.out) / static_cast<double>(sample.out);
    const auto steps = static_cast<double>(size.count - size.of_source);
    const double inner = static_cast<double>(size.in) / static_cast<double>(sample.in);
    sample.products = std::max<int64_t>(1, std::llround(share * layer * steps));
    sample.of_step = inner * layer * steps;
    sample.of_source = inner * layer * static_cast<double>(size.of_source);
    samples.layers.push_back(sample);
  }
  return samples;
}

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
  StepProducts(const Samples& samples, const SearchRows& search, WeightFormat numbers,
               const std::vector<float>& source)
      : numbers_(numbers), is_whole_(samples.is_whole), x_(source) {
    const int64_t together = std::min(search.sentences, sentences_together(numbers));
    rows_ = std::clamp<int64_t>(together * search.beam, 1, kMostRows);
    source_rows_ = std::clamp<int64_t>(together * kLength, 1, kMostRows);
    const int64_t all = search.sentences * search.beam;
    int64_t of_a_row = 0;
    for (const Sample& sample : samples.layers) of_a_row += sample.in * sample.out;
    const int64_t measured_rows = std::max(std::min(all, kMostRows), kMultiplications / of_a_row);
    groups_ = std::max<int64_t>(1, measured_rows / rows_);
    const double rows = static_cast<double>(all) / static_cast<double>(groups_ * rows_);
    // A sentence has about as many positions as its translation has steps.
    const double source_rows =
        static_cast<double>(search.sentences) / static_cast<double>(source_rows_);
    for (const Sample& sample : samples.layers)
      layers_.push_back({.weights{source.data(), sample.columns(), sample.in, numbers},
                         .panels = sample.out / Matrix::kPanel,
                         .step_times = sample.of_step * rows,
                         .source_times = sample.of_source * source_rows});
    y_.resize(std::max(rows_, source_rows_) * kLargestSide);
  }

  /// Runs the layers one after the other, as in a network, so that each finds the weights of other
  /// layers in the cache. Those of a whole network are read before, as by the step before. Of a
  /// larger network none should be there: other formats were measured since.
  std::vector<double> seconds() {
    if (is_whole_) read_weights();
    std::vector<double> seconds(layers_.size(), 0.0);
    for (int64_t group = 0; group < groups_; ++group)
      for (std::size_t i = 0; i < layers_.size(); ++i)
        seconds[i] += seconds_of(layers_[i], rows_, layers_[i].step_times);
    for (std::size_t i = 0; i < layers_.size(); ++i)
      seconds[i] += seconds_of(layers_[i], source_rows_, layers_[i].source_times);
    return seconds;
  }

 private:
  struct Layer {
    Matrix weights;
    int64_t panels = 0;  // of a product
    // How many times as long as a product the whole of such layers takes, of one step.
    double step_times = 0, source_times = 0;
    int64_t next = 0;  // panel
  };

  void read_weights() const {
    constexpr int64_t kLine = 64;
    volatile unsigned char read = 0;
    for (const Layer& layer : layers_) {
      const auto* bytes = static_cast<const unsigned char*>(layer.weights.panel(0));
      for (int64_t i = 0; i < layer.weights.panels() * layer.weights.panel_bytes(); i += kLine)
        read = bytes[i];
    }
    static_cast<void>(read);
  }

  double seconds_of(Layer& layer, int64_t rows, double times) {
    if (times == 0) return 0;
    const double begun = thread_seconds();
    left_.take(x_.data(), rows, layer.weights.inner(), numbers_);
    multiply(left_, layer.weights, {}, y_.data(), layer.panels * Matrix::kPanel, layer.next,
             layer.next + layer.panels);
    const double seconds = thread_seconds() - begun;
    layer.next = (layer.next + layer.panels) % layer.weights.panels();
    return seconds * times;
  }

  WeightFormat numbers_;
  bool is_whole_;
  const std::vector<float>& x_;
  int64_t rows_ = 0, groups_ = 0, source_rows_ = 0;
  std::vector<Layer> layers_;
  LeftFactor left_;
  std::vector<float> y_;
};

}  // namespace

PrecisionTimes search_times(const model::ModelConfig& config, const SearchRows& rows) {
  const Samples samples = samples_of(model::layer_sizes(config, rows.vocabulary));
  int64_t longest = kMostRows * kLargestSide;
  for (const Sample& sample : samples.layers)
    longest = std::max(longest, sample.columns() * sample.in);
  const std::vector<float> numbers = some_numbers(longest);
  std::vector<WeightFormat> formats{WeightFormat::fp32, WeightFormat::int8};
  if (kernels::processor().bf16_products) formats.push_back(WeightFormat::bf16);
  std::vector<std::function<std::vector<double>()>> runs;
  for (const WeightFormat format : formats) {
    const auto products = std::make_shared<StepProducts>(samples, rows, format, numbers);
    runs.emplace_back([products] { return products->seconds(); });
  }
  const std::vector<MedianTime> found = median_times(runs, kEnough);
  PrecisionTimes times{.fp32 = found[0].seconds, .int8 = found[1].seconds};
  if (found.size() > 2) times.bf16 = found[2].seconds;
  for (const MedianTime& one : found) times.spread = std::max(times.spread, one.spread);
  return times;
}

}  // namespace heed::engine
