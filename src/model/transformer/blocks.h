// The blocks that a Transformer stacks (Vaswani et al. 2017, 3.1), with layer norm before each
// sublayer, x + sublayer(norm(x)), or after it as in the paper, norm(x + sublayer(x)).
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/normalization.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "kernels/layer_norm.h"
#include "kernels/product.h"
#include "kernels/tensor.h"
#include "model/adapters.h"
#include "model/description/config.h"
#include "model/embedding.h"
#include "model/trace.h"
#include "model/transformer/attention/attention.h"
#include "model/transformer/beam_caches.h"
#include "model/transformer/multi_head.h"
#include "model/transformer/recurrence.h"
#include "model/transformer/sentences.h"

namespace heed::model {

/// Linear layers of these widths stacked into one, each with Xavier's uniform weights (Glorot and
/// Bengio 2010, eq. 16); biases are zeros.
LinearLayerPtr xavier_linear(int64_t in, const std::vector<int64_t>& outs, bool bias);

inline Tensor linear(const LinearLayer& layer, const Tensor& x) {
  return layer.apply(x);
}

inline torch::nn::LayerNorm make_layer_norm(int64_t width, double epsilon) {
  return torch::nn::LayerNorm(torch::nn::LayerNormOptions({width}).eps(epsilon));
}

inline Tensor layer_norm(const torch::nn::LayerNorm& layer, const Tensor& x) {
  return kernels::layer_norm(x, layer->weight, layer->bias, layer->options.eps());
}

struct BlockOptions {
  int64_t feed_forward = 0;
  Norm norm = Norm::pre;
  double norm_epsilon = 1e-5;  // of the layer norms
  Activation activation = Activation::relu;
  double dropout = 0, activation_dropout = 0;
  DecoderKind decoder = DecoderKind::attention;  // of a decoder's block
  MultiHeadOptions self;                         // self-attention; its width is the block's
  MultiHeadOptions cross;                        // cross-attention, of a decoder's
};

/// W2 activation(W1 x + b1) + b2 at each position.
class FeedForward : public torch::nn::Module {
 public:
  explicit FeedForward(const BlockOptions& options);
  Tensor forward(const Tensor& x);

 private:
  Activation activation_;
  double dropout_;
  LinearLayerPtr inner_, output_;
};

/// The residual connection around a sublayer, with its layer norm and dropout.
class Residual : public torch::nn::Module {
 public:
  explicit Residual(const BlockOptions& options);

  /// x [..., width] -> the same shape.
  template <class Sublayer>
  Tensor around(const Tensor& x, const Sublayer& sublayer) {
    const Tensor sum =
        add_dropped(x, sublayer(pre_ ? layer_norm(norm_, x) : x), dropout_, is_training());
    return pre_ ? sum : norm_(sum);
  }

 private:
  bool pre_;
  double dropout_;
  torch::nn::LayerNorm norm_;
};

class EncoderBlock : public torch::nn::Module {
 public:
  EncoderBlock(const BlockOptions& options, const LayerIndex& index);

  /// x [batch, source, width], or [positions, width] unpadded -> the same shape. `weights`, if not
  /// null, receives [batch, heads, source, source].
  Tensor forward(const Tensor& x, const SentenceLayout& sentences, Tensor* weights);

 private:
  SelfAttentionPtr attention_;
  std::shared_ptr<Residual> around_attention_;
  std::shared_ptr<FeedForward> feed_forward_;
  std::shared_ptr<Residual> around_feed_forward_;
};

class DecoderBlock : public torch::nn::Module {
 public:
  /// The encoder's output that a block looks at, and where it writes its weights (null: nobody
  /// wants them).
  struct View {
    KeysValues memory;
    CrossSentenceLayout sentences;
    Tensor* self_weights = nullptr;
    Tensor* cross_weights = nullptr;
    Guided* guided = nullptr;
    std::function<Tensor(const Tensor&)> exchange = {};  // of the weights of cross-attention
  };

  DecoderBlock(const BlockOptions& options, const LayerIndex& index);

  /// The encoder's output as this block's keys and values, once per sentence.
  KeysValues project(const Tensor& memory) { return cross_attention_->project(memory); }

  /// x [batch, target, width], or [positions, width] unpadded -> the same shape. Padding is at a
  /// target's end, where no real position looks.
  Tensor forward(const Tensor& x, const View& view);

  struct BeamView {
    HeadsOfLayer steps, source;
    std::span<Tensor> carried;  // the tensors that carried() counts, in place of `steps`
    Tensor padding;             // hidden_padding()
    Tensor* self_weights = nullptr;
    Tensor* cross_weights = nullptr;
  };
  /// One step: x [sentences, beam, width] -> the same shape.
  Tensor step(const Tensor& x, const BeamStep& now, const BeamView& view);

  /// Returns the number of this block's tensors in a state.
  std::size_t carried() const { return recurrence_ ? 1 : self_attention_->carried(); }
  /// The block's self-attention; null where there is a recurrence in its place.
  const SelfAttention* self_attention() const { return self_attention_.get(); }
  const CrossAttention& cross_attention() const { return *cross_attention_; }

 private:
  template <class Self, class Cross>
  Tensor through(const Tensor& x, const Self& self, const Cross& cross);

  SelfAttentionPtr self_attention_;  // one of the two
  RecurrencePtr recurrence_;
  std::shared_ptr<Residual> around_self_;
  std::shared_ptr<CrossAttention> cross_attention_;
  std::shared_ptr<Residual> around_cross_;
  std::shared_ptr<FeedForward> feed_forward_;
  std::shared_ptr<Residual> around_feed_forward_;
};

}  // namespace heed::model
