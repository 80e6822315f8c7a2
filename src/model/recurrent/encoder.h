// The bidirectional encoder: h(i) = [forward(i); backward(i)] of the top layer.
#pragma once

#include <torch/nn/module.h>

#include <array>
#include <cstdint>
#include <vector>

#include "model/description/config.h"
#include "model/recurrent/attention/attention.h"
#include "model/recurrent/cell.h"
#include "model/source.h"

namespace heed::model {

class RecurrentEncoder : public torch::nn::Module {
 public:
  /// `input` is the width of the embeddings; each direction has hidden_size / 2.
  RecurrentEncoder(const ModelConfig& config, int64_t input);

  /// embedded [batch, source, input] -> values [batch, source, hidden_size], zero on
  /// padding.
  Encoded forward(const Tensor& embedded, const Source& source);

 private:
  struct Outputs {
    Tensor states;   // [batch, source, hidden_size], zero on padding
    Tensor summary;  // [batch, hidden_size]
  };
  Outputs packed(const Tensor& embedded, const Tensor& lengths) const;
  Outputs padded(Tensor data, const Tensor& valid) const;

  Cell cell_;
  int64_t layers_, hidden_;  // hidden: of one direction
  double dropout_;
  std::vector<std::array<LibraryWeights, 2>> weights_;  // of each layer, forwards and backwards
};

}  // namespace heed::model
