#include "run/precision.h"

#include <torch/version.h>

#include <algorithm>
#include <cstdint>

#include "base/log.h"
#include "config/schema.h"
#include "kernels/rows/versions.h"
#include "model/description/layer_sizes.h"
#include "run/line_models.h"
#include "train/config.h"

namespace heed::run {
namespace {

/// Returns the number of target tokens in one part of an update.
int64_t tokens_of_part(const Config& config) {
  constexpr int64_t kLength = 25;
  const train::TrainConfig& training = config.training;
  const bool by_tokens = training.batch_type == train::BatchType::tokens;
  const int64_t length = std::min(config.data.max_length, kLength);
  return training.batch_size * (by_tokens ? 1 : length) / train::parts_per_batch(training);
}

}  // namespace

std::string training_precision(const Config& config) {
  if (config.precision == Precision::auto_fp32) return "fp32";
  if (config.precision == Precision::auto_bf16) return "bf16";
  return config::name_of(config.precision);
}

KnownTimes training_times(const model::ModelConfig& config, const train::UpdatePart& part,
                          const MeasuredTimes& measured) {
  const std::string use =
      fmt::format("training by {} with LibTorch {}", part.tokens, TORCH_VERSION);
  return measured.of(products_name(use, model::layer_sizes(config, part.vocabulary)),
                     [&] { return train::update_times(config, part); });
}

void decide_precision(Config& config, const at::Device& device,
                      const model::VocabularySizes& vocabulary, const MeasuredTimes& measured) {
  if (!device.is_cpu()) return;
  decide_weights(config, run_folder(config), vocabulary.target, measured);
  if (config.precision != Precision::auto_) return;
  if (!kernels::processor().bf16_products) {
    config.precision = Precision::auto_fp32;
    log::info("precision: fp32; this processor does not multiply bf16");
    return;
  }
  const KnownTimes known = training_times(
      config.model, {.vocabulary = vocabulary.target, .tokens = tokens_of_part(config)}, measured);
  const bool bf16 = known.times.favour_bf16();
  config.precision = bf16 ? Precision::auto_bf16 : Precision::auto_fp32;
  log::info("precision: {}; a part of this model's products takes {}{}", bf16 ? "bf16" : "fp32",
            known.times.text(), known.origin());
}

}  // namespace heed::run
