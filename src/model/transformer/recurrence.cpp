#include "model/transformer/recurrence.h"

#include <ATen/ATen.h>

#include <vector>

#include "base/error.h"
#include "kernels/recurrence.h"
#include "model/adapters.h"
#include "model/description/config.h"
#include "model/transformer/blocks.h"

namespace heed::model {
namespace {

/// Calls `compute`, which takes and returns [batch, length, width], with x padded.
template <class Compute>
Tensor with_padding(const Tensor& x, const SentenceLayout& sentences, const Compute& compute) {
  return sentences.unpadded() ? remove_padding(compute(pad(x, sentences)), sentences) : compute(x);
}

/// Returns x [batch, length, width] moved `by` positions later, after zeros.
Tensor later(const Tensor& x, int64_t by) {
  return at::constant_pad_nd(x.narrow(1, 0, x.size(1) - by), {0, 0, by, 0});
}

/// c(t) = kept(t) c(t-1) + added(t) of [batch, length, width]: each round joins twice as many
/// steps (Hillis and Steele 1986).
Tensor states_of(Tensor kept, Tensor added) {
  for (int64_t steps = 1; steps < added.size(1); steps *= 2) {
    added = added + kept * later(added, steps);
    kept = kept * later(kept, steps);
  }
  return added;
}

class Ssru : public Recurrence {
 public:
  explicit Ssru(int64_t width)
      : candidate_(register_module(names::kCandidate, xavier_linear(width, {width}, false))),
        forget_(register_module(names::kForget, xavier_linear(width, {width}, true))) {}

  Tensor forward(const Tensor& x, const SentenceLayout& sentences) override {
    const Tensor candidate = linear(*candidate_, x), forget = linear(*forget_, x);
    if (x.is_cpu() && kernels::is_fp32_or_bf16(candidate)) {
      if (sentences.unpadded()) return kernels::ssru(candidate, forget, sentences.lengths);
      const std::vector<int64_t> lengths(x.size(0), x.size(1));
      return kernels::ssru(candidate.flatten(0, 1), forget.flatten(0, 1), lengths).view_as(x);
    }
    return with_padding(at::cat({candidate, forget}, -1), sentences, [](const Tensor& both) {
      const auto parts = both.chunk(2, -1);
      const auto [kept, added] = gated(parts[0], parts[1]);
      return states_of(kept, added).clamp_min(0).to(both.scalar_type());
    });
  }

  Tensor step(const Tensor& x, Tensor& state, int64_t /*position*/) override {
    const Tensor candidate = linear(*candidate_, x);
    const auto [kept, added] = gated(candidate, linear(*forget_, x));
    state = state.defined() ? kept * state + added : added;
    return state.clamp_min(0).to(candidate.scalar_type());
  }

 private:
  struct Gated {
    Tensor kept, added;
  };
  /// Returns f and (1 - f) candidate.
  static Gated gated(const Tensor& candidate, const Tensor& forget) {
    const Tensor kept = at::sigmoid(kernels::widened(forget));
    return {kept, (1 - kept) * kernels::widened(candidate)};
  }

  LinearLayerPtr candidate_, forget_;
};

class AverageAttention : public Recurrence {
 public:
  explicit AverageAttention(const BlockOptions& options)
      : feed_forward_(register_module(names::kFeedForward, std::make_shared<FeedForward>(options))),
        gates_(register_module(names::kGates,
                               xavier_linear(2 * options.self.width,
                                             {options.self.width, options.self.width}, true))) {}

  Tensor forward(const Tensor& x, const SentenceLayout& sentences) override {
    const Tensor means = with_padding(kernels::widened(x), sentences, [](const Tensor& all) {
      const Tensor counts = at::arange(1, all.size(1) + 1, all.options());
      // On a GPU LibTorch's cumulative sum is refused where `deterministic` is on.
      const Tensor sums = all.is_cpu() ? all.cumsum(1) : states_of(at::ones_like(all), all);
      return sums / counts.unsqueeze(1);
    });
    return gated(x, means);
  }

  Tensor step(const Tensor& x, Tensor& state, int64_t position) override {
    state = state.defined() ? state + x : kernels::widened(x);
    return gated(x, state / (position + 1));
  }

 private:
  Tensor gated(const Tensor& x, const Tensor& means) {
    const Tensor g = feed_forward_->forward(means.to(x.scalar_type()));
    const auto gates =
        at::sigmoid(kernels::widened(linear(*gates_, at::cat({x, g}, -1)))).chunk(2, -1);
    return (gates[0] * x + gates[1] * g).to(x.scalar_type());
  }

  std::shared_ptr<FeedForward> feed_forward_;
  LinearLayerPtr gates_;
};

}  // namespace

RecurrencePtr make_recurrence(const BlockOptions& options) {
  switch (options.decoder) {
    case DecoderKind::attention:
      break;
    case DecoderKind::ssru:
      return std::make_shared<Ssru>(options.self.width);
    case DecoderKind::average:
      return std::make_shared<AverageAttention>(options);
  }
  throw Bug("a decoder without a recurrence");
}

}  // namespace heed::model
