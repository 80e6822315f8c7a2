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

/// CTranslate2's numbers of activations: 1 is the approximation of GELU by tanh.
inline constexpr std::array<std::pair<model::Activation, int8_t>, 3> kActivationCodes{
    {{model::Activation::relu, 0}, {model::Activation::silu, 2}, {model::Activation::gelu, 3}}};

/// The feature that such a model needs and CTranslate2 lacks, as the end of a sentence; empty where
/// it can run the model.
std::string missing_in_ctranslate2(const model::ModelConfig& config);

/// How many positions an exported model can take, in pieces with eos: CTranslate2 reads them from a
/// table.
int64_t longest_in_ctranslate2(const model::ModelConfig& config);

/// The options of CTranslate2's translate_batch() with which it searches as heed does. `longest` is
/// longest_in_ctranslate2().
std::string search_in_ctranslate2(const decode::DecodeConfig& config, int64_t longest);

/// Writes model.bin, atomically. `alignment` says which attention links words there: the first head
/// of a layer (head 0), or the mean of its heads (any other). Layer -1 is the last one. Throws
/// Failure where it cannot be written, Bug for a model that CTranslate2 cannot run.
void write_ctranslate2(const model::ModelConfig& config, const engine::Weights& weights,
                       const decode::AlignmentConfig& alignment, const std::string& path);

}  // namespace heed::exchange
