// Files of weights, as a network reads them.
#pragma once

#include <map>
#include <string>

#include "engine/weights.h"
#include "model/description/safetensors_file.h"

namespace heed::engine {

struct WeightsFile {
  Weights weights;
  std::map<std::string, std::string> metadata;
};

/// Maps the file: its fp32 numbers are used where they lie, others are widened. The I8 tensor NAME
/// is one of rows whose scales are the F32 tensor NAME.scale. Throws UserError as
/// model::open_safetensors(), and for whole numbers without scales.
WeightsFile read_weights(const std::string& path);

/// The same of a file that is in memory. `path` begins messages.
Weights weights_in(const model::SafetensorsFile& file, const std::string& path);

/// Writes the file with the matrices of linear layers and word vectors as int8, as Matrix quantises
/// them, a quarter as large. Throws Failure as model::write_safetensors().
void write_packed(const WeightsFile& file, const std::string& path);

}  // namespace heed::engine
