// What a user is told at the end of a training: how far it has come, and which command goes on.
#pragma once

#include <string>

#include "train/config.h"
#include "train/trainer.h"

namespace heed::run {

/// The BLEU of a validation (0 to 100) below which a training has learned little.
inline constexpr double kLittleBleu = 10;

/// The last line of a training in `folder`. Where it has ended before the planned updates, or has
/// learned little, it says so and names the command with which it goes on; keys that are fixed once
/// a run has begun are in none of these commands.
std::string ending_text(const train::TrainResult& result, const train::TrainConfig& config,
                        const std::string& folder);

}  // namespace heed::run
