// A model in one line, for people who compare several. Torch-free.
#pragma once

#include <string>

#include "model/config.h"

namespace heed::model {

/// "Transformer, 3+3 layers, width 128, 4 heads" or "GRU encoder-decoder, width 256, attention
/// bahdanau", and behind it what else of the architecture is not the default: "linear
/// self-attention", "positions rotary", "coverage neural". Inner sizes, dropout and ties are not
/// told.
std::string describe_model(const ModelConfig& model);

}  // namespace heed::model
