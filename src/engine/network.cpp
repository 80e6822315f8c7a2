#include "engine/network.h"

#include <string>
#include <utility>

#include "base/error.h"
#include "engine/recurrent.h"
#include "engine/tile_product.h"
#include "model/description/traits.h"
#include "model/embedding.h"

namespace heed::engine {

bool has_network(const model::ModelConfig& config) {
  return config.type == model::ModelType::transformer ? model::traits(config).all_softmax
                                                      : has_recurrent(config);
}

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

const Array& embedding_of(const model::ModelConfig& config, const Weights& weights, bool target) {
  return weights.at(std::string(model::embedding_module(config.tie, target)) + ".weight");
}

Linear output_of(const model::ModelConfig& config, const Weights& weights, WeightFormat numbers) {
  const std::string own = model::kOutputModule;
  const Array& weight = config.tie == model::Tie::none ? weights.at(own + ".weight")
                                                       : embedding_of(config, weights, true);
  return make_linear(weight, &weights.at(own + ".bias"), numbers);
}

int64_t sentences_together(WeightFormat numbers) {
  const bool many_rows = tile_product(numbers).rows == kMostTileRows;
  return many_rows || numbers == WeightFormat::fp32 ? 16 : 4;
}

void choose_rows(Floats& x, int64_t width, std::span<const int64_t> chosen) {
  Floats rows;
  rows.reserve(chosen.size() * width);
  for (const int64_t row : chosen)
    rows.insert(rows.end(), x.begin() + row * width, x.begin() + (row + 1) * width);
  x = std::move(rows);
}

}  // namespace heed::engine
