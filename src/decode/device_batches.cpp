#include "decode/device_batches.h"

#include <algorithm>

#include "model/model.h"

namespace heed::decode {
namespace {

constexpr int64_t kScoredTokens = 1024;  // scoring holds the whole [target, vocab] of a batch
constexpr int64_t kDeviceFactor = 8;     // a GPU has the memory and needs the parallelism

// Of a GPU's free memory. What a search holds of its tokens may take three times its size for a
// moment, when caches grow; beside what it holds of its hypotheses there is what the encoder needs.
constexpr int64_t kShareOfTokens = 4, kShareOfHypotheses = 8;
constexpr int64_t kMostSentences = 2048;  // more of them keep no GPU busier

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
  BatchLimits limits = search_limits(config);
  if (room.device.is_cpu()) return limits;
  if (config.batch_size == 0) return what_fits(models, width_of(config), room);
  limits.tokens *= kDeviceFactor;
  return limits;
}

BatchLimits score_limits(const DecodeConfig& config, const at::Device& device) {
  if (device.is_cpu())
    return {.sentences = search_limits(config).sentences, .tokens = kScoredTokens};
  return {.sentences = config.batch_size > 0 ? config.batch_size : kMostSentences,
          .tokens = kScoredTokens * kDeviceFactor};
}

}  // namespace heed::decode
