// The promises of each kind of a Transformer's self-attention. One that breaks nothing here works
// in any batch, with and without padding, and gives step by step what it gives at once.
#pragma once

#include <ATen/ATen.h>

#include <exception>
#include <string>
#include <vector>

#include "model/gradient.h"
#include "model/recurrent/support.h"
#include "model/transformer/attention/attention.h"

namespace heed::model::testing {

class SelfAttentionContract {
 public:
  using Maker = SelfAttentionPtr (*)(const MultiHeadOptions& options, const LayerIndex& index);

  SelfAttentionContract(const SelfAttentionInfo& kind, const std::string& positions,
                        const kernels::Pattern& pattern = {}, Maker maker = &make_self_attention)
      : kind_(kind), positions_(positions), pattern_(pattern), maker_(maker) {
    at::manual_seed(11);
    encoder_ = make(false, at::kDouble);
    decoder_ = make(true, at::kDouble);
    x_ = at::randn({3, kLength, kWidth}, at::kDouble);
  }

  /// The promises that are broken, in words.
  std::vector<std::string> broken() {
    try {
      weights();
      sentences();
      if (kind_.has_scores()) {
        without_padding();
        shared_caches();
      } else {
        steps();
      }
      gradients();
    } catch (const std::exception& error) {
      broken_.push_back("it computes: " + std::string(error.what()).substr(0, 200));
    }
    return broken_;
  }

 private:
  static constexpr int64_t kWidth = 12, kHeads = 3, kKvHeads = 1, kLength = 7;
  static constexpr int64_t kLengths[] = {3, 7, 5};

  void promise(bool kept, const std::string& words) {
    if (!kept) broken_.push_back(words);
  }
  /// Not-a-number is near nothing.
  static bool near(const Tensor& a, const Tensor& b, double tolerance = 1e-12) {
    return distance(a, b) <= tolerance;
  }
  SelfAttentionPtr make(bool causal, at::ScalarType type) const {
    at::manual_seed(12);
    const PositionsPtr positions = make_positions(
        positions_, {.width = kWidth, .heads = kHeads, .longest = 16, .causal = causal});
    MultiHeadOptions options{.width = kWidth, .heads = kHeads, .kv_heads = kKvHeads};
    options.kind = kind_.name;
    options.pattern = pattern_;
    options.pattern.causal = causal;
    const SelfAttentionPtr attention = maker_(options, {.positions = positions});
    positions->to(type);
    attention->to(type);
    return attention;
  }
  /// [3, 1, 1, length], of the sentences' lengths.
  static Tensor valid() {
    const Tensor lengths = at::tensor(at::ArrayRef<int64_t>(kLengths), at::kLong);
    return (at::arange(kLength) < lengths.unsqueeze(1)).unsqueeze(1).unsqueeze(1);
  }
  static Tensor real() { return valid().view({3, kLength, 1}); }
  Tensor encoded(const Tensor& x, Tensor* weights = nullptr) {
    return encoder_->forward(x, {.valid = valid()}, weights);
  }

  void weights() {
    Tensor weights;
    const Tensor out = encoded(x_, &weights);
    promise(out.sizes() == x_.sizes(), "its output has the shape of its input");
    const Tensor position = at::arange(kLength);
    Tensor hidden = valid().logical_not().expand({3, kHeads, kLength, kLength});
    if (kind_.has_scores())
      hidden = hidden.logical_or(sees(pattern_, position.unsqueeze(1), position).logical_not());
    const Tensor of_real = real().view({3, 1, kLength, 1});
    promise(weights.masked_select(hidden.logical_and(of_real)).eq(0).all().item<bool>(),
            "what a position does not see gets a weight of exactly 0");
    const Tensor sums = weights.sum(-1).masked_select(of_real.squeeze(3));
    if (kind_.has_scores())
      promise(near(sums, at::ones_like(sums), 1e-6), "the weights of a query sum to 1");
    promise(near((encoded(x_) * real()), out * real()), "to show the weights changes nothing");
  }

  void sentences() {
    const Tensor out = encoded(x_) * real(), noise = at::randn_like(x_) * 1e3;
    promise(near(encoded(at::where(real(), x_, noise)) * real(), out, 0),
            "what stands in padding changes nothing");
    bool same = true;
    for (int64_t i = 0; i < 3; ++i) {
      const auto words = [&](const Tensor& x) {
        return x.narrow(0, i, 1).narrow(1, 0, kLengths[i]);
      };
      same &= near(encoder_->forward(words(x_), {}, nullptr), words(out));
    }
    promise(same, "a sentence attends alone as among others");
    promise(near(encoded(x_) * real(), out, 0), "it carries nothing from one batch to another");
    const Tensor whole = decoder_->forward(x_, {}, nullptr);
    Tensor other = x_.clone();
    other.narrow(1, 4, 3).normal_();
    promise(near(decoder_->forward(other, {}, nullptr).narrow(1, 0, 4), whole.narrow(1, 0, 4)),
            "the future does not change the past");
  }

  void steps() {
    const at::NoGradGuard no_grad;
    const Tensor whole = decoder_->forward(x_, {}, nullptr);
    std::vector<Tensor> alone(decoder_->carried()), beams(decoder_->carried());
    bool same = true, as_beam = true;
    for (int64_t t = 0; t < kLength; ++t) {
      const Tensor now = x_.narrow(1, t, 1);
      same &= near(decoder_->step(now, alone, t, nullptr), whole.narrow(1, t, 1));
      const Tensor both = at::cat({now.flip(0), now}, 1);
      as_beam &=
          near(decoder_->step(both, beams, t, nullptr).narrow(1, 1, 1), whole.narrow(1, t, 1));
    }
    promise(same, "step by step it gives what it gives at once");
    promise(as_beam, "hypotheses of a beam attend as if alone");
  }

  void without_padding() {
    const SentenceLayout unpadded = sentence_layout({3, 7, 5}, kLength, at::kCPU);
    for (const bool causal : {false, true}) {
      const SelfAttentionPtr attention = make(causal, at::kFloat);
      const Tensor x = x_.to(at::kFloat);
      const SentenceLayout padded = causal ? SentenceLayout{} : SentenceLayout{.valid = valid()};
      const Tensor out =
          pad(attention->forward(remove_padding(x, unpadded), unpadded, nullptr), unpadded);
      promise(near(out, attention->forward(x, padded, nullptr) * real(), 1e-5),
              "without padding it gives what it gives with padding");
    }
  }

  /// Two hypotheses of each sentence share one cache.
  void shared_caches() {
    const at::NoGradGuard no_grad;
    const Tensor whole = decoder_->forward(x_, {}, nullptr),
                 flipped = decoder_->forward(x_.flip(0), {}, nullptr);
    const Tensor source = at::zeros({3, kKvHeads, 1, kWidth / kHeads}, at::kDouble);
    State state = start_beams({source, source}, {});
    bool same = true;
    for (int64_t t = 0; t < kLength; ++t) {
      const Tensor now = x_.narrow(1, t, 1);
      const BeamStep step = begin_step(state, 2,
                                       {.heads = {2 * kKvHeads},
                                        .head = kWidth / kHeads,
                                        .group = kHeads / kKvHeads,
                                        .pattern = pattern_,
                                        .wants_steps = true});
      const Tensor out = decoder_->step(at::cat({now, now.flip(0)}, 1),
                                        cached_steps(state, 0, 2 * kKvHeads), step, nullptr);
      same &= near(out.narrow(1, 0, 1), whole.narrow(1, t, 1)) &&
              near(out.narrow(1, 1, 1), flipped.narrow(1, t, 1));
      state.beams.push_back(2);
      ++state.position;
    }
    promise(same, "step by step it gives what it gives at once");
  }

  void gradients() {
    const Tensor outer = at::randn_like(x_) * real();
    const auto loss = [&] { return (encoded(x_) * outer).sum(); };
    std::vector<std::pair<std::string, Tensor>> leaves{{"the input", x_.requires_grad_()}};
    for (const auto& parameter : encoder_->named_parameters())
      leaves.emplace_back("parameter " + parameter.key(), parameter.value());
    for (const auto& [name, leaf] : leaves) {
      const GradientCheck found = check_entries(leaf, loss);
      promise(found.largest > 1e-6, name + " matters to the result");
      promise(found.error < 1e-6, "the gradient of " + name + " is that of central differences");
    }
  }

  const SelfAttentionInfo kind_;
  const std::string positions_;
  const kernels::Pattern pattern_;
  const Maker maker_;
  SelfAttentionPtr encoder_, decoder_;
  Tensor x_;
  std::vector<std::string> broken_;
};

/// The promises that are broken with any kind of position and any pattern that it goes with.
inline std::vector<std::string> broken_promises(const SelfAttentionInfo& kind) {
  std::vector<kernels::Pattern> patterns{{}};
  if (kind.seen == SeenBy::kWindow) patterns.push_back({.window = 2});
  if (kind.seen == SeenBy::kPattern) patterns = {{.window = 1, .global = 1, .stride = 3}};
  std::vector<std::string> broken;
  for (const PositionsKindInfo& positions : positions_kinds()) {
    if (!kind.has_scores() && positions.effect == PositionsEffect::kAddsScores) continue;
    for (const kernels::Pattern& pattern : patterns)
      for (const std::string& words : SelfAttentionContract(kind, positions.name, pattern).broken())
        broken.push_back(std::string(positions.name) + ", window " +
                         std::to_string(pattern.window) + ": " + words);
  }
  return broken;
}

}  // namespace heed::model::testing
