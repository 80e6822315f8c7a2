// The traits of a configuration's network, for code that must not depend on the network's type.
#pragma once

#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "model/description/config.h"

namespace heed::model {

struct Traits {
  std::string name;       // "transformer", or the recurrent decoder's attention: "bahdanau", "none"
  std::string network;    // "transformer", or "rnn, attention bahdanau"
  int64_t width = 0;      // of the states
  std::string width_key;  // the key of the section `model` that sets it
  /// Whether there are layers of self-attention, whose heads can be silenced, pruned and taught.
  bool has_self_attention = false;
  bool has_dropout = false;        // two passes in training mode differ
  Window window = Window::global;  // of cross-attention
  /// The most pieces of a source or target, with eos.
  int64_t longest = std::numeric_limits<int64_t>::max();
  /// Numbers that the backward pass needs for each pair of a source and a target token, as measured
  /// (docs/training.md).
  int64_t activations = 0;

  /// The kinds of attention that it has, in the order of AttentionKind, and those of them whose
  /// heads' weights are a softmax of scores.
  std::vector<AttentionKind> kinds, softmax_kinds;
  int64_t whole_heads = 0;  // of each attention, before any was pruned
  /// The number of heads that are left in each layer, by kind of attention.
  std::map<AttentionKind, std::vector<int64_t>> heads_left;

  bool attends() const { return !kinds.empty(); }
  int64_t layers(AttentionKind kind) const {
    return heads_left.contains(kind) ? std::ssize(heads_left.at(kind)) : 0;
  }
  /// Returns the number of heads that are left in a layer; 0 where it has no such attention.
  int64_t heads(AttentionKind kind, int64_t layer) const {
    return layer < layers(kind) ? heads_left.at(kind).at(layer) : 0;
  }
};

Traits traits(const ModelConfig& config);

/// A model in one line, for people who compare several: "Transformer, 3+3 layers, width 128, 4
/// heads" or "GRU encoder-decoder, width 256, attention bahdanau", and then everything else of the
/// architecture that is not the default: "linear self-attention", "positions rotary", "coverage
/// neural". Inner sizes, the epsilon of norms, dropout and ties are left out.
std::string describe_model(const ModelConfig& model);

}  // namespace heed::model
