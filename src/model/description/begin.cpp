#include "model/description/begin.h"

namespace heed::model {

bool begins_with_zeros(const ModelConfig& config) {
  return config.type == ModelType::transformer && config.positions == "tensor2tensor";
}

}  // namespace heed::model
