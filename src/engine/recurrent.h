// Recurrent encoder-decoders (model/recurrent/) laid out for translating on a CPU.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/matrix.h"
#include "engine/network.h"
#include "engine/source_attention.h"
#include "engine/weights.h"
#include "model/description/config.h"

namespace heed::engine {

/// A recurrent layer in one direction, the twin of model::RecurrentCell.
struct CellWeights {
  Linear input, extra, hidden;  // each to the gates; extra: of a second input, where there is one
};

struct RecurrentWeights {
  model::ModelConfig config;
  Array source_embedding, target_embedding;  // [vocab, embedding_size]
  std::vector<CellWeights> encoder;          // of each layer forward, then backward
  std::vector<CellWeights> decoder;          // bottom first
  bool attends_before = false;               // with s(t-1), as Bahdanau's decoder
  std::optional<RecurrentAttention> attention;
  Linear initial, read_state, read_context, read_input, output;

  bool feeds() const { return config.input_feeding && attention && !attends_before; }
};

/// Whether the engine knows the attention and the normaliser of `config`.
bool has_recurrent(const model::ModelConfig& config);

/// Both functions are for a model that has_recurrent().
RecurrentWeights recurrent_weights(const model::ModelConfig& config, const Weights& weights,
                                   WeightFormat numbers);
std::unique_ptr<Network> make_recurrent(const model::ModelConfig& config, const Weights& weights,
                                        WeightFormat numbers);

}  // namespace heed::engine
