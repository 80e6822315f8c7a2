#include "decode/network_of_model.h"

#include <ATen/ATen.h>

#include <map>
#include <string>
#include <utility>

#include "engine/recurrent.h"
#include "engine/transformer.h"
#include "model/description/traits.h"
#include "model/recurrent/recurrent.h"
#include "model/transformer/transformer.h"
#include "model/weights.h"

namespace heed::decode {
namespace {

using engine::Array;
using engine::Floats;
using engine::LayerDistances;
using engine::PositionRows;
using engine::Weights;

Weights weights_of(const model::Model& model) {
  std::map<std::string, Array> arrays;
  for (const auto& [name, tensor] : model::named_weights(model)) {
    const auto dense = std::make_shared<Tensor>(tensor.contiguous());
    arrays[name] = {dense->const_data_ptr<float>(), dense->sizes().vec(), dense};
  }
  return Weights(std::move(arrays));
}

/// A tensor's numbers in fp32, row by row; none where it is undefined.
Floats numbers_of(const Tensor& tensor) {
  if (!tensor.defined()) return {};
  const Tensor dense = tensor.detach().to(at::kFloat).contiguous();
  const float* data = dense.const_data_ptr<float>();
  return {data, data + dense.numel()};
}

PositionRows rows_of(const Tensor& table) {
  if (!table.defined()) return {};
  const Tensor real = table.is_complex() ? at::view_as_real(table).flatten(1) : table;
  return {numbers_of(real), real.size(1)};
}

class PositionsOfModel : public engine::StackPositions {
 public:
  PositionsOfModel(const model::Model& model, bool decoder)
      : positions_(model::transformer_positions(model, decoder)) {}

  int64_t longest() const override { return positions_->longest(); }
  PositionRows vectors(int64_t first, int64_t length) const override {
    const at::NoGradGuard no_grad;
    return rows_of(positions_->vectors(first, length));
  }
  PositionRows rotations(int64_t first, int64_t length) const override {
    const at::NoGradGuard no_grad;
    return rows_of(positions_->rotations(first, length));
  }
  LayerDistances by_distance(int64_t layer, int64_t length,
                             const std::vector<int64_t>& heads) const override {
    const at::NoGradGuard no_grad;
    const model::ScoresByDistance scores = positions_->by_distance(layer, length, heads);
    return {numbers_of(scores.numbers), numbers_of(scores.vectors), scores.reach};
  }

 private:
  std::shared_ptr<const model::Positions> positions_;
};

}  // namespace

std::unique_ptr<engine::Network> network_of(const model::Model& model,
                                            engine::WeightFormat numbers) {
  for (const Tensor& parameter : model.parameters())
    if (!parameter.is_cpu() || parameter.scalar_type() != at::kFloat) return nullptr;
  const auto* transformer = model::transformer_config(model);
  const auto* config = transformer != nullptr ? transformer : model::recurrent_config(model);
  if (config == nullptr || !engine::has_network(*config)) return nullptr;
  const engine::Weights weights = weights_of(model);
  return transformer != nullptr
             ? engine::make_transformer(*config, weights,
                                        {std::make_shared<PositionsOfModel>(model, false),
                                         std::make_shared<PositionsOfModel>(model, true)},
                                        numbers)
             : engine::make_recurrent(*config, weights, numbers);
}

}  // namespace heed::decode
