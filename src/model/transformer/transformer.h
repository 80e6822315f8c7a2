// The Transformer encoder-decoder of Vaswani et al. (2017).
#pragma once

#include <cstdint>

#include "model/description/config.h"
#include "model/model.h"
#include "model/pointer.h"
#include "model/transformer/attention/attention.h"

namespace heed::model {

/// Builds and initialises the Transformer that `config` describes.
ModelPtr make_transformer(const ModelConfig& config, const VocabularySizes& vocabulary);

/// The options of one attention of a Transformer: `kind` is encoder, decoder or cross.
MultiHeadOptions attention_options(const ModelConfig& config, AttentionKind kind, int64_t layer);

/// The config of a Transformer that make_transformer built; null for any other model.
const ModelConfig* transformer_config(const Model& model);

}  // namespace heed::model
