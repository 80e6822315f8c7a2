// Properties that the Transformers of other programs have in common: all their heads are alike, and
// scores are divided by the root of a head's width before the softmax.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "decode/search/config.h"
#include "engine/weights.h"
#include "model/description/config.h"

namespace heed::exchange {

/// The feature that the model needs and such a Transformer lacks, as the end of a sentence that
/// names the key; empty where the model can be such a Transformer.
std::string missing_in_plain_transformer(const model::ModelConfig& config);

/// The weights with which a model of `config`, which does not divide scores by the root, computes
/// the same in a program that does: queries are larger by that root.
engine::Weights with_scaled_queries(const model::ModelConfig& config,
                                    const engine::Weights& weights);

/// A linear layer or a layer norm, by its names in heed and in other programs.
struct PeerModule {
  std::string own, ctranslate2;           // ctranslate2: with is_norm, gamma and beta are in it
  std::vector<std::string> hugging_face;  // if several, each has an equal share of the rows
  std::vector<std::string> marian;        // likewise; W's name, "..._Wq", or a norm's, "..._ln"
  // Whether its rows, or columns, are numbers of the state, which may have another order in that
  // program.
  bool state_rows = false, state_columns = false;
  bool is_norm = false;  // a layer norm
  bool has_bias = true;
};

/// The modules of encoder and decoder: their blocks, where norms come before sublayers the norms
/// after the last block, and with `embedding_norm` those before the first. Those of `decoder: ssru`
/// have names in Marian alone.
std::vector<PeerModule> peer_modules(const model::ModelConfig& config);

/// A tensor of Hugging Face's encoder-decoders (BART, MarianMT, M2M-100): number `part` of `parts`
/// equal shares of the rows of one of heed's tensors.
struct HuggingFaceTensor {
  std::string name, own;
  int64_t part = 0, parts = 1;
  bool state_rows = false, state_columns = false;
};

/// All such tensors, in the order of heed's rows, but for the bias of the output layer, which not
/// all models have.
std::vector<HuggingFaceTensor> hugging_face_tensors(const model::ModelConfig& config);

/// The power of a hypothesis' length by which these programs divide its log-probability.
double length_exponent(const decode::DecodeConfig& config);

}  // namespace heed::exchange
