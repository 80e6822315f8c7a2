#include "model/embedding.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/nn/init.h>

#include <cmath>
#include <optional>
#include <utility>

#include "base/error.h"
#include "kernels/dropout.h"
#include "kernels/lookup.h"
#include "model/description/config.h"

namespace heed::model {
namespace {

thread_local InitialWeights initial_weights = InitialWeights::drawn;

Tensor matrix(int64_t rows, int64_t columns) {
  const bool sizes_only = initial_weights == InitialWeights::sizes_only;
  return at::empty({rows, columns}, at::TensorOptions(sizes_only ? at::kMeta : at::kCPU));
}

bool stays_as_it_is() {
  return initial_weights != InitialWeights::drawn;
}

/// Gives LibTorch one thread for the lifetime of this object: LAPACK divides a decomposition by the
/// number of LibTorch's threads, on which its bits then depend.
class OneThread {
 public:
  OneThread() : before_(at::get_num_threads()) { at::set_num_threads(1); }
  ~OneThread() { at::set_num_threads(before_); }
  OneThread& operator=(OneThread&&) = delete;

 private:
  int before_;
};

/// Whether `tokens` may have a kCut. A GPU is not asked, because the host would have to wait for
/// it.
bool may_hold_cuts(const Tensor& tokens) {
  return !tokens.is_cpu() || (tokens.numel() > 0 && tokens.min().item<int64_t>() < 0);
}

}  // namespace

WeightsBegin::WeightsBegin(InitialWeights so) : before_(std::exchange(initial_weights, so)) {}

WeightsBegin::~WeightsBegin() {
  initial_weights = before_;
}

InitialWeights WeightsBegin::now() {
  return initial_weights;
}

Tensor xavier(int64_t rows, int64_t columns) {
  const double bound = std::sqrt(6.0 / static_cast<double>(rows + columns));
  const Tensor weight = matrix(rows, columns);
  return stays_as_it_is() ? weight : weight.uniform_(-bound, bound);
}

Tensor normal(int64_t rows, int64_t width) {
  const Tensor weight = matrix(rows, width);
  return stays_as_it_is() ? weight : weight.normal_(0, 1 / std::sqrt(static_cast<double>(width)));
}

Tensor orthogonal(int64_t size) {
  const Tensor weight = matrix(size, size);
  if (stays_as_it_is()) return weight;
  const OneThread one;
  return torch::nn::init::orthogonal_(weight);
}

Embedding::Embedding(int64_t vocabulary, int64_t width, double scale, double word_dropout)
    : scale_(scale),
      word_dropout_(word_dropout),
      weight_(register_parameter("weight", normal(vocabulary, width))) {}

Tensor Embedding::forward(const Tensor& tokens) {
  if (is_training() && may_hold_cuts(tokens))
    return vectors_of(tokens.clamp_min(0)) * tokens.ge(0).unsqueeze(-1);
  return vectors_of(tokens);
}

Tensor Embedding::vectors_of(const Tensor& tokens) {
  Tensor vectors = kernels::lookup(weight_, tokens);  // [..., width]
  if (is_training() && word_dropout_ > 0) {
    Tensor kept = at::empty(tokens.sizes(), vectors.options());
    std::optional<at::Generator> generator;
    if (kept.is_cpu()) generator = kernels::Draws::generator();
    kept.bernoulli_(1 - word_dropout_, generator);
    return vectors * kept.mul_(scale_ / (1 - word_dropout_)).unsqueeze(-1);
  }
  return scale_ == 1 ? vectors : vectors * scale_;
}

Tensor traced_vectors(const Tensor& vectors, Trace* trace) {
  if (trace == nullptr || !trace->vectors) return vectors;
  SourceVectors& requested = *trace->vectors;
  requested.leaf = (vectors.detach() * requested.share).requires_grad_();
  return requested.leaf;
}

OutputLayer::OutputLayer(int64_t vocabulary, int64_t width)
    : weight_(register_parameter("weight", normal(vocabulary, width))),
      bias_(register_parameter("bias", at::zeros({vocabulary}))) {}

OutputLayer::OutputLayer(const Embedding& tied)
    : weight_(tied.weight()), bias_(register_parameter("bias", at::zeros({weight_.size(0)}))) {}

Tensor OutputLayer::forward(const Tensor& features) {
  return at::linear(features, weight_, bias_);
}

TokenLayers add_token_layers(torch::nn::Module& owner, const ModelConfig& config,
                             const VocabularySizes& vocabulary, int64_t width, double scale) {
  const auto embedding = [&](bool target, int64_t size) {
    return owner.register_module(
        embedding_module(config.tie, target),
        std::make_shared<Embedding>(size, width, scale, config.word_dropout));
  };
  TokenLayers layers;
  if (config.tie == Tie::all) {
    if (vocabulary.source != vocabulary.target)
      throw UserError(
          "model.tie: all needs one vocabulary for both sides, got {} and {} pieces; set "
          "data.vocabulary.kind to joint, or model.tie to decoder",
          vocabulary.source, vocabulary.target);
    layers.source = layers.target = embedding(true, vocabulary.target);
  } else {
    layers.source = embedding(false, vocabulary.source);
    layers.target = embedding(true, vocabulary.target);
  }
  layers.output = config.tie == Tie::none ? std::make_shared<OutputLayer>(vocabulary.target, width)
                                          : std::make_shared<OutputLayer>(*layers.target);
  owner.register_module(kOutputModule, layers.output);
  return layers;
}

Tensor drop(const Tensor& x, double share, bool training) {
  if (!training || share == 0) return x;
  return kernels::can_drop(x) ? kernels::dropout(x, share) : at::dropout(x, share, true);
}

Tensor add_dropped(const Tensor& residual, const Tensor& x, double share, bool training) {
  if (training && share > 0 && kernels::can_add_dropped(residual, x))
    return kernels::add_dropped(residual, x, share);
  return residual + drop(x, share, training);
}

}  // namespace heed::model
