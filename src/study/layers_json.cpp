#include "study/layers_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace heed::study {

std::string layers_json(std::span<const AttentionMatrix> layers) {
  using Json = nlohmann::ordered_json;
  expect(!layers.empty(), "there is a layer");
  const AttentionMatrix& first = layers.front();
  Json all = Json::array();
  for (const AttentionMatrix& one : layers) {
    check(one);
    expect(one.source == first.source && one.target == first.target, "layers share their tokens");
    Json rows = Json::array();
    for (std::size_t row = 0; row < one.target.size(); ++row) {
      Json weights = Json::array();
      for (std::size_t column = 0; column < one.source.size(); ++column)
        weights.push_back(std::round(1e4 * static_cast<double>(one.at(row, column))) / 1e4);
      rows.push_back(std::move(weights));
    }
    all.push_back({{"layer", one.layer}, {"weights", std::move(rows)}});
  }
  const Json out = {{"line", first.sentence},
                    {"source", first.source},
                    {"target", first.target},
                    {"layers", std::move(all)}};
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace heed::study
