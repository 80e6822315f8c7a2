// Transformers in the file format of CTranslate2, an engine that translates with them in C++ and
// Python.
#pragma once

#include <map>
#include <string>

#include "kernels/tensor.h"
#include "model/description/config.h"

namespace heed::engine {

/// What CTranslate2 lacks that such a model needs, as the end of a sentence; empty where it can run
/// it.
std::string missing_in_ctranslate2(const model::ModelConfig& config);

/// Positions that an exported model can take, in pieces with eos: CTranslate2 reads them from a
/// table.
int64_t longest_in_ctranslate2(const model::ModelConfig& config);

/// Writes model.bin, atomically. `weights` as named_weights() gives them, fp32 on the CPU. Throws
/// Failure where it cannot be written, Bug for a model that CTranslate2 lacks something for.
void write_ctranslate2(const model::ModelConfig& config,
                       const std::map<std::string, Tensor>& weights, const std::string& path);

}  // namespace heed::engine
