// The Transformer encoder-decoder of Vaswani et al. (2017).
#pragma once

#include "model/model.h"

namespace heed::model {

/// Builds and initialises the Transformer that `config` describes.
ModelPtr make_transformer(const ModelConfig& config, const VocabularySizes& vocabulary);

}  // namespace heed::model
