// What the Transformers of other programs have in common: all their heads are alike, and scores are
// divided by the root of a head's width before the softmax.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "decode/search/config.h"
#include "engine/weights.h"
#include "model/description/config.h"

namespace heed::exchange {

/// What such a Transformer lacks that the model needs, as the end of a sentence that names the key;
/// empty where it can be one.
std::string missing_in_plain_transformer(const model::ModelConfig& config);

/// A model without the root computes the same with it, where queries are larger by that root.
engine::Weights with_scaled_queries(const model::ModelConfig& config,
                                    const engine::Weights& weights);

/// A linear layer or a layer norm, by the names that it has here and there.
struct PeerModule {
  std::string own, ctranslate2;
  std::vector<std::string> hugging_face;  // several: each has an equal share of the rows
  std::vector<std::string> marian;        // the same: W's name, "..._Wq", or a norm's, "..._ln"
  // Whether its rows, or columns, are numbers of the state, which may have another order there.
  bool state_rows = false, state_columns = false;
};

/// Of encoder and decoder: their blocks and, where norms come before sublayers, the norms behind
/// these.
std::vector<PeerModule> peer_modules(const model::ModelConfig& config);

/// A tensor of Hugging Face's encoder-decoders (BART, MarianMT, M2M-100): the share `part` of
/// `parts` of the rows of one of heed's.
struct HuggingFaceTensor {
  std::string name, own;
  int64_t part = 0, parts = 1;
  bool state_rows = false, state_columns = false;
};

/// In the order of heed's rows. The bias of the output layer, which not all of them have, is not
/// among them.
std::vector<HuggingFaceTensor> hugging_face_tensors(const model::ModelConfig& config);

/// These programs divide the log-probability of a hypothesis by this power of its length.
double length_exponent(const decode::DecodeConfig& config);

}  // namespace heed::exchange
