// Chooses the precision of a training where its configuration leaves it open.
#pragma once

#include <c10/core/Device.h>

#include <string>

#include "model/description/config.h"
#include "run/config.h"
#include "run/measured_times.h"
#include "train/update_times.h"

namespace heed::run {

/// The name of what training computes in, for model::choose_precision(): "auto" on a GPU alone.
std::string training_precision(const Config& config);

/// train::update_times(), or what they were before.
KnownTimes training_times(const model::ModelConfig& config, const train::UpdatePart& part,
                          const MeasuredTimes& measured = MeasuredTimes());

/// `precision: auto` becomes auto_fp32 or auto_bf16 for a training on the CPU that begins, and the
/// log says why. Where the processor has no bf16 nothing is measured, and it is auto_fp32.
/// `decoding.weights: auto` is decided, too (decide_weights()). For a GPU both stay `auto`.
void decide_precision(Config& config, const at::Device& device,
                      const model::VocabularySizes& vocabulary,
                      const MeasuredTimes& measured = MeasuredTimes());

}  // namespace heed::run
