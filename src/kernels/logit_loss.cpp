#include "kernels/logit_loss.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "kernels/output_loss.h"

namespace heed::kernels {
namespace {

constexpr int64_t kTogetherOnCpu = int64_t{1} << 20;  // logits that stay in its cache

/// What is computed in: fp32, or double where the logits are (gradient checks).
at::ScalarType type_of_loss(const Tensor& logits) {
  return logits.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
}

Tensor log_probabilities(const Tensor& logits, const Tensor& buffer) {
  if (!buffer.defined()) return at::log_softmax(logits, 1, type_of_loss(logits));
  Tensor out = buffer.narrow(0, 0, logits.size(0));
  at::_log_softmax_out(out, logits, 1, false);
  return out;
}

}  // namespace

LogitLossSum LogitLossSum::on(const at::Device& device) {
  const auto number = at::TensorOptions(device).dtype(at::kDouble);
  return {at::zeros({}, number), at::zeros({}, number)};
}

void add_logit_loss(const Tensor& logits, const Tensor& gold, double smoothing,
                    const Tensor& gradient, LogitLossSum& sum, const Tensor& weights) {
  const int64_t rows = logits.size(0), vocab = logits.size(1);
  const int64_t most = logits.is_cpu() ? kTogetherOnCpu : kLogitsTogether;
  const int64_t chunk = std::clamp<int64_t>(most / vocab, 1, std::max<int64_t>(rows, 1));
  Tensor buffer;
  if (logits.scalar_type() == at::kFloat) buffer = at::empty({chunk, vocab}, logits.options());
  for (int64_t begin = 0; begin < rows; begin += chunk) {
    const int64_t count = std::min(chunk, rows - begin);
    const Tensor part = log_probabilities(logits.narrow(0, begin, count), buffer);
    const Tensor answers = gold.narrow(0, begin, count).unsqueeze(1);
    const auto weighted = [&](const Tensor& rows) {  // [count, any]
      return weights.defined() ? rows * weights.narrow(0, begin, count).unsqueeze(1) : rows;
    };
    const Tensor nll = weighted(part.gather(1, answers)).sum(at::kDouble).neg();
    sum.nll += nll;
    sum.smoothed += nll * (1 - smoothing);
    if (smoothing > 0)
      sum.smoothed -= weighted(part.sum(1, /*keepdim=*/true)).sum(at::kDouble) *
                      (smoothing / static_cast<double>(vocab));
    if (!gradient.defined()) continue;
    Tensor probability = part.exp_();
    if (smoothing > 0) probability.sub_(smoothing / static_cast<double>(vocab));
    probability.scatter_add_(1, answers,
                             at::full_like(answers, smoothing - 1, probability.options()));
    gradient.narrow(0, begin, count).copy_(weighted(probability));
  }
}

LogitLossSum pair_logit_loss(const Tensor& logits, const Tensor& gold, double smoothing,
                             const PairWeights& pair) {
  const auto both = at::log_softmax(logits, 1, type_of_loss(logits)).chunk(2);
  const Tensor &one = both.at(0), &other = both.at(1);
  const Tensor answers = gold.unsqueeze(1);
  const auto nll_of = [&](const Tensor& log_p) { return log_p.gather(1, answers).sum().neg(); };
  const auto loss_of = [&](const Tensor& log_p, const Tensor& nll) {
    return nll * (1 - smoothing) - log_p.mean(1).sum() * smoothing;
  };
  const Tensor nll = nll_of(one), other_nll = nll_of(other);
  Tensor loss = loss_of(one, nll) * pair.first + loss_of(other, other_nll) * pair.second;
  if (pair.forward > 0) loss = loss + (one.exp() * (one - other)).sum() * pair.forward;
  if (pair.backward > 0) loss = loss + (other.exp() * (other - one)).sum() * pair.backward;
  return {loss.to(at::kDouble),
          (nll * pair.first + other_nll * pair.second).detach().to(at::kDouble)};
}

}  // namespace heed::kernels
