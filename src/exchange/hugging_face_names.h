// The names that Hugging Face's transformers give the tensors of an encoder-decoder (BART,
// MarianMT, M2M-100), beside heed's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/description/config.h"

namespace heed::exchange {

/// A tensor of theirs, which is some rows of one of heed's.
struct PeerTensor {
  std::string name = {}, own = {};
  int64_t first = 0, rows = -1;  // -1: all
  // Whether its rows, or columns, are numbers of the state, which may have another order there.
  bool state_rows = false, state_columns = false;
};

/// Of a Transformer that is a plain one (plain_transformer.h), in the order of heed's rows. The
/// bias of the output layer, which not all of them have, is not among them.
std::vector<PeerTensor> hugging_face_tensors(const model::ModelConfig& config);

}  // namespace heed::exchange
