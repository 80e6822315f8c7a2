// The recurrent encoder-decoder, with any attention of attention/.
#pragma once

#include "model/description/config.h"
#include "model/model.h"
#include "model/pointer.h"

namespace heed::model {

/// Builds and initialises the recurrent model that `config` describes. Throws ConfigError for
/// options that exclude each other, as check() does.
ModelPtr make_recurrent(const ModelConfig& config, const VocabularySizes& vocabulary);

/// The configuration of a recurrent model; null for any other model.
const ModelConfig* recurrent_config(const Model& model);

}  // namespace heed::model
