// The engine of a model.
#pragma once

#include <memory>

#include "engine/network.h"
#include "model/model.h"

namespace heed::decode {

/// A network with the weights of `model`, which must not change from now on; null where it is not
/// on a CPU in fp32, or engine::has_network() is false.
std::unique_ptr<engine::Network> network_of(const model::Model& model,
                                            engine::WeightFormat numbers);

}  // namespace heed::decode
