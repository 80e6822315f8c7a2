// Translations as lines of text, as n-best lists and as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inspect/details.h"

namespace heed {

struct OutputOptions {
  bool scores = false, alignment = false, json = false, n_best = false;
};

/// One line with its line feed, or one for each hypothesis of an n-best list. `line` counts from 1.
std::string written(int64_t line, const std::string& source, const decode::Translation& translation,
                    const std::vector<inspect::Details>& details, const OutputOptions& options);

}  // namespace heed
