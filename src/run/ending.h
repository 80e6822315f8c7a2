// What a user is told at the end of a training: how far it has come, and which command goes on.
#pragma once

#include <cstdint>
#include <string>

#include "train/config.h"
#include "train/trainer.h"

namespace heed::run {

/// The BLEU of a validation (0 to 100) below which a training has learned little.
inline constexpr double kLittleBleu = 10;

/// Pairs of which a model from nothing is poor (docs/first_steps.md).
inline constexpr int64_t kFewPairs = 10000;
inline constexpr const char* kMoreThanFewPairs =
    "a ready model that is tuned by them gives more: --from MODEL";

/// The last line of a training of so many `pairs` in `folder`. Where it has ended before the
/// planned updates, or has learned little, it says so and names the command with which it goes on;
/// keys that are fixed once a run has begun are in none of these commands.
std::string ending_text(const train::TrainResult& result, const train::TrainConfig& config,
                        int64_t pairs, const std::string& folder);

}  // namespace heed::run
