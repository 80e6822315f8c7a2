// Tokens to vectors and back: the embeddings and the output layer of every model, tied as the
// config says.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>

#include "kernels/tensor.h"
#include "model/description/config.h"
#include "model/trace.h"

namespace heed::model {

/// Xavier-uniform [rows, columns] (Glorot and Bengio 2010).
Tensor xavier(int64_t rows, int64_t columns);
/// Normal with a deviation of 1 / sqrt(width): [rows, width].
Tensor normal(int64_t rows, int64_t width);
/// Returns an orthogonal matrix [size, size] (Saxe et al. 2014).
Tensor orthogonal(int64_t size);

/// The first values of weights that a thread makes.
enum class InitialWeights {
  drawn,
  /// Any values that their memory held: for a model that is about to be loaded, where drawing them
  /// takes longer than reading the file.
  uninitialised,
  /// Matrices have sizes and next to no memory: for a model that is only counted, and may be larger
  /// than this machine.
  sizes_only,
};

/// While an object lives, weights that this thread makes begin with these values.
class WeightsBegin {
 public:
  explicit WeightsBegin(InitialWeights so);
  ~WeightsBegin();
  WeightsBegin& operator=(WeightsBegin&&) = delete;
  static InitialWeights now();

 private:
  InitialWeights before_;
};

/// Word vectors: [...] int64 -> [..., width]. The caller applies dropout of single activations,
/// after it has added positions.
class Embedding : public torch::nn::Module {
 public:
  /// The vectors are multiplied by `scale` (sqrt(width) in Vaswani et al. 2017, 3.4; 1 elsewhere).
  /// While training, whole vectors are set to zero with probability `word_dropout` and the others
  /// scaled up to make up for it; and the vector of kCut is zero.
  Embedding(int64_t vocabulary, int64_t width, double scale, double word_dropout);

  Tensor forward(const Tensor& tokens);

  const Tensor& weight() const { return weight_; }  // [vocab, width]

 private:
  Tensor vectors_of(const Tensor& tokens);

  double scale_, word_dropout_;
  Tensor weight_;
};

/// The layer that makes logits: [..., width] -> [..., vocab], weight x + bias, unnormalised.
class OutputLayer : public torch::nn::Module {
 public:
  OutputLayer(int64_t vocabulary, int64_t width);
  /// Uses the embedding's weight (without its scale). It stays the embedding's parameter: counted,
  /// saved and updated once.
  explicit OutputLayer(const Embedding& tied);

  Tensor forward(const Tensor& features);

  const Tensor& weight() const { return weight_; }  // [vocab, width]
  const Tensor& bias() const { return bias_; }      // [vocab]

 private:
  Tensor weight_, bias_;
};

struct TokenLayers {
  std::shared_ptr<Embedding> source, target;  // one and the same with `tie: all`
  std::shared_ptr<OutputLayer> output;
};

/// Builds the layers, initialises them (normal, deviation 1/sqrt(width); bias 0) and registers them
/// in `owner`, sharing weights as `config.tie` says. `width` is that of embeddings and of the
/// features before the output layer, `scale` that of both embeddings. Throws UserError for `tie:
/// all` with vocabularies of different size.
TokenLayers add_token_layers(torch::nn::Module& owner, const ModelConfig& config,
                             const VocabularySizes& vocabulary, int64_t width, double scale = 1);

/// The vectors with which a model goes on: its source's word vectors, or the leaf that `trace` asks
/// for in their place.
Tensor traced_vectors(const Tensor& vectors, Trace* trace);

/// Inverted dropout: a no-op unless `training` and share > 0.
Tensor drop(const Tensor& x, double share, bool training);
/// Returns residual + drop(x).
Tensor add_dropped(const Tensor& residual, const Tensor& x, double share, bool training);

}  // namespace heed::model
