#include "decode/batches.h"

#include <algorithm>

#include "model/model.h"

namespace heed::decode {
namespace {

constexpr int64_t kUsualSentences = 32;

// Bounds on memory. A search holds keys and values of beam_size hypotheses that grow to about the
// source's length; scoring holds the whole [target, vocab] of a batch.
constexpr int64_t kSearchTokens = 32768;
constexpr int64_t kScoredTokens = 1024;
constexpr int64_t kDeviceFactor = 8;  // a GPU has the memory and needs the parallelism

// Of a GPU's free memory. What a search holds of its tokens may take three times its size for a
// moment, when caches grow; beside what it holds of its hypotheses there is what the encoder needs.
constexpr int64_t kShareOfTokens = 4, kShareOfHypotheses = 8;
constexpr int64_t kMostSentences = 2048;  // more of them keep no GPU busier

int64_t token_budget(int64_t tokens, const at::Device& device) {
  return device.is_cpu() ? tokens : tokens * kDeviceFactor;
}

/// Hypotheses of a sentence.
int64_t width_of(const DecodeConfig& config) {
  return samples(config.sampling) ? std::max(config.n_best, config.mbr) : config.beam_size;
}

BatchLimits what_fits(const std::vector<model::Model*>& models, int64_t width,
                      const SearchRoom& room) {
  const auto number = static_cast<int64_t>(c10::elementSize(room.precision));
  int64_t token = 0, sentence = 0;  // bytes
  for (const model::Model* model : models) {
    const model::StateSize size = model->state_size();
    token += number * (size.source + width * size.hypothesis);
    sentence += width * room.vocabulary * (number + 4);  // logits, and log-probabilities in fp32
  }
  return {.sentences = std::clamp<int64_t>(
              room.free / kShareOfHypotheses / std::max<int64_t>(sentence, 1), 1, kMostSentences),
          .tokens = std::max<int64_t>(room.free / kShareOfTokens / std::max<int64_t>(token, 1), 1)};
}

}  // namespace

BatchLimits search_limits(const std::vector<model::Model*>& models, const DecodeConfig& config,
                          const SearchRoom& room) {
  const int64_t width = width_of(config);
  if (config.batch_size == 0 && !room.device.is_cpu()) return what_fits(models, width, room);
  return {.sentences = config.batch_size > 0 ? config.batch_size : kUsualSentences,
          .tokens = token_budget(kSearchTokens / width, room.device)};
}

BatchLimits score_limits(const DecodeConfig& config, const at::Device& device) {
  const bool fits = config.batch_size == 0 && !device.is_cpu();
  return {.sentences = config.batch_size > 0 ? config.batch_size
                       : fits                ? kMostSentences
                                             : kUsualSentences,
          .tokens = token_budget(kScoredTokens, device)};
}

std::vector<std::vector<int64_t>> batches_by_length(const std::vector<int64_t>& lengths,
                                                    const BatchLimits& limits, int64_t skip) {
  std::vector<int64_t> order;
  for (std::size_t i = 0; i < lengths.size(); ++i)
    if (lengths[i] != skip) order.push_back(static_cast<int64_t>(i));
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return lengths[a] > lengths[b]; });
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
