// A GPU's copies of a model's weights in the type of its products.
#pragma once

#include <memory>
#include <vector>

#include "kernels/lowered.h"
#include "kernels/side_work.h"
#include "kernels/tensor.h"
#include "model/pointer.h"

namespace heed::model {

class LinearLayer;

/// Copies of the weights of a model's linear layers in bf16 or fp16. Embeddings and the output
/// layer are none of these layers.
class LoweredLayers {
 public:
  /// The model must outlive this object. `type` is bf16 or fp16.
  LoweredLayers(Model& model, at::ScalarType type);

  bool empty() const { return layers_.empty(); }

  /// Where backward passes write the gradients of these parameters from now on: `gradients` are
  /// fp32 and of their sizes. Gradients of other parameters are autograd's. `side` may be null; it
  /// must outlive the passes.
  void write_gradients(const std::vector<Tensor>& parameters, const std::vector<Tensor>& gradients,
                       kernels::SideWork* side);

  /// Copies the weights as they are now.
  void refresh() const;

  /// While an object lives the layers compute with the copies.
  class Use {
   public:
    explicit Use(const LoweredLayers& layers);
    ~Use();
    Use& operator=(Use&&) = delete;

    /// Returns for each of the parameters of write_gradients() whether a pass since the beginning
    /// of this object has written its gradient.
    std::vector<bool> written() const;

   private:
    const LoweredLayers& of_;
  };

 private:
  struct Lowered {
    LinearLayer* layer;
    std::shared_ptr<kernels::LoweredWeights> weights;
  };

  std::vector<Lowered> layers_;
  // The layer that has each of the parameters of write_gradients(), or none.
  std::vector<const kernels::LoweredWeights*> owners_;
};

}  // namespace heed::model
