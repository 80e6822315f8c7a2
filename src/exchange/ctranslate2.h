// Transformers in the file format of CTranslate2, an engine that translates with them in C++ and
// Python.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "decode/search/config.h"
#include "engine/weights.h"
#include "model/description/config.h"

namespace heed::exchange {

/// Its numbers of activations: 1 is the approximation of GELU by tanh.
inline constexpr std::array<std::pair<model::Activation, int8_t>, 3> kActivationCodes{
    {{model::Activation::relu, 0}, {model::Activation::silu, 2}, {model::Activation::gelu, 3}}};

/// What CTranslate2 lacks that such a model needs, as the end of a sentence; empty where it can run
/// it.
std::string missing_in_ctranslate2(const model::ModelConfig& config);

/// Positions that an exported model can take, in pieces with eos: CTranslate2 reads them from a
/// table.
int64_t longest_in_ctranslate2(const model::ModelConfig& config);

/// What to ask its translate_batch() for, so that it searches as heed does. `longest` positions.
std::string search_in_ctranslate2(const decode::DecodeConfig& config, int64_t longest);

/// Writes model.bin, atomically. Throws Failure where it cannot be written, Bug for a model that
/// CTranslate2 lacks something for.
void write_ctranslate2(const model::ModelConfig& config, const engine::Weights& weights,
                       const std::string& path);

}  // namespace heed::exchange
