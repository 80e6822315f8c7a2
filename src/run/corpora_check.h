// What stands in the way of a training in its corpora.
#pragma once

#include <string>

#include "run/check.h"
#include "run/config.h"

namespace heed::run {

/// Looks at every corpus of `config`: files there, as many lines on both sides, text in them, some
/// pairs left by limits and weights. `file` is the configuration, whose comments name the scripts
/// that fetch what is missing. Returns whether all training corpora can be read.
bool check_corpora(const Config& config, const std::string& file, Check& found);

}  // namespace heed::run
