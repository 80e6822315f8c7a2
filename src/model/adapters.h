// Low-rank adapters (LoRA, Hu et al. 2021): a linear layer that computes W x + b computes, with an
// adapter, W x + b + s B A x with s = alpha / rank. A and B alone are trained.
#pragma once

#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/lowered.h"
#include "kernels/tensor.h"
#include "model/pointer.h"
#include "model/weights.h"

namespace heed::model {

struct AdapterOptions {
  int64_t rank = 16;
  double scale = 2;  // s
  bool attention = true, feed_forward = false;
  /// Whether other code puts W + s B A in the place of W for each update (training.quantise): the
  /// layer then adds nothing but the gradients of A and B.
  bool in_weights = false;
};

/// A linear layer, with an adapter or without.
class LinearLayer : public torch::nn::LinearImpl {
 public:
  using LinearImpl::LinearImpl;

  /// x [..., in] -> [..., out]. The product B A is never computed.
  Tensor apply(const Tensor& x) const;

  /// The products use these copies of weight and bias from now on; null: the weights themselves.
  void compute_with(std::shared_ptr<kernels::LoweredWeights> copies) {
    lowered_ = std::move(copies);
  }

  /// A [rank, in] is normal with a deviation of 1 / sqrt(in), B [out, rank] zero.
  void add_adapter(const AdapterOptions& options);
  void remove_adapter();
  bool has_adapter() const { return a_.defined(); }
  /// Returns W + s B A, [out, in]; while the adapter is merged, this is W itself.
  Tensor merged() const;

 private:
  friend class Merged;

  AdapterOptions options_;
  Tensor a_, b_;
  bool is_merged_ = false;
  std::shared_ptr<kernels::LoweredWeights> lowered_;
};

using LinearLayerPtr = std::shared_ptr<LinearLayer>;

/// Freezes all of a model's weights and gives adapters to the linear layers of its attentions or
/// feed-forward layers. A layer that stacks queries, keys and values has one adapter for all.
/// Throws UserError where there is no such layer.
void add_adapters(Model& model, const AdapterOptions& options);

/// Removes the adapters and unfreezes all weights. Does nothing where there are no adapters.
void remove_adapters(Model& model);

/// The layers that have adapters.
std::vector<LinearLayer*> adapted_layers(const Model& model);

/// While an object lives the model has no adapters, and its weights are W + s B A of theirs.
class Merged {
 public:
  explicit Merged(const Model& model);
  ~Merged();
  Merged& operator=(Merged&&) = delete;

 private:
  Replaced weights_;
  std::vector<LinearLayer*> layers_;
};

}  // namespace heed::model
