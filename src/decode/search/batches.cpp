#include "decode/search/batches.h"

#include <cstddef>
#include <functional>

namespace heed::decode {
namespace {

constexpr int64_t kUsualSentences = 32;

/// A bound on memory: a search holds keys and values of beam_size hypotheses that grow to about the
/// source's length.
constexpr int64_t kSearchTokens = 32768;

}  // namespace

int64_t width_of(const DecodeConfig& config) {
  return samples(config.sampling) ? std::max(config.n_best, config.mbr) : config.beam_size;
}

BatchLimits search_limits(const DecodeConfig& config) {
  return {.sentences = config.batch_size > 0 ? config.batch_size : kUsualSentences,
          .tokens = kSearchTokens / width_of(config)};
}

std::vector<std::vector<int64_t>> batches_by_length(const std::vector<int64_t>& lengths,
                                                    const BatchLimits& limits, int64_t skip) {
  std::vector<int64_t> order;
  for (std::size_t i = 0; i < lengths.size(); ++i)
    if (lengths[i] != skip) order.push_back(static_cast<int64_t>(i));
  std::ranges::stable_sort(order, std::greater<>(), [&](int64_t i) { return lengths[i]; });
  std::vector<std::vector<int64_t>> out;
  for (const int64_t i : order) {
    const bool full =
        out.empty() || std::ssize(out.back()) >= limits.sentences ||
        (lengths[out.back().front()] + 1) * (std::ssize(out.back()) + 1) > limits.tokens;
    if (full) out.emplace_back();
    out.back().push_back(i);
  }
  return out;
}

}  // namespace heed::decode
