#include "engine/network.h"

#include <string>

#include "base/error.h"
#include "engine/matrix.h"
#include "engine/recurrent.h"
#include "engine/transformer.h"
#include "kernels/rows/versions.h"

namespace heed::engine {

std::vector<Span> spans_of(const SourceBatch& source) {
  std::vector<Span> spans;
  int64_t rows = 0;
  for (int64_t s = 0; s < source.sentences; ++s) {
    expect(source.lengths[s] >= 1, "each sentence has its eos at least");
    spans.push_back({rows, source.lengths[s]});
    rows += source.lengths[s];
  }
  return spans;
}

namespace {

/// The width of word vectors and of the output layer's input.
int64_t word_width(const model::ModelConfig& config) {
  return config.type == model::ModelType::transformer ? config.width : config.embedding_size;
}

}  // namespace

Floats LayerMap::mean() const {
  const int64_t rows = std::ssize(weights) / (heads * keys);
  Floats mean(rows * keys, 0.0F);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t i = 0; i < keys; ++i)
        mean[row * keys + i] += weights[(row * heads + h) * keys + i] / static_cast<float>(heads);
  return mean;
}

const Array& embedding_of(const model::ModelConfig& config, const Weights& weights, bool target) {
  return weights.at(std::string(model::embedding_module(config.tie, target)) + ".weight",
                    {-1, word_width(config)});
}

Linear output_of(const model::ModelConfig& config, const Weights& weights, WeightFormat numbers) {
  const std::string own = model::kOutputModule;
  const Array& weight = config.tie == model::Tie::none
                            ? weights.at(own + ".weight", {-1, word_width(config)})
                            : embedding_of(config, weights, true);
  return make_linear(weight, &weights.at(own + ".bias", {weight.rows()}), numbers);
}

int64_t sentences_together(WeightFormat numbers) {
  if (numbers == WeightFormat::fp32) return 32;
  return kernels::processor().vnni && !kernels::has_amx() ? 4 : 16;
}

bool has_network(const model::ModelConfig& config) {
  return config.type == model::ModelType::transformer ? has_transformer(config)
                                                      : has_recurrent(config);
}

std::unique_ptr<Network> make_network(const model::ModelConfig& config, const Weights& weights,
                                      WeightFormat numbers) {
  return config.type == model::ModelType::transformer ? make_transformer(config, weights, numbers)
                                                      : make_recurrent(config, weights, numbers);
}

void choose_rows(Floats& x, int64_t width, std::span<const int64_t> chosen) {
  Floats rows;
  rows.reserve(chosen.size() * width);
  for (const int64_t row : chosen)
    rows.insert(rows.end(), x.begin() + row * width, x.begin() + (row + 1) * width);
  x = std::move(rows);
}

}  // namespace heed::engine
