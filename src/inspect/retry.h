// Suspicious translations (study/flags.h) are searched for again, in other ways.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "decode/search/line_translator.h"
#include "decode/search/lines_request.h"
#include "inspect/details.h"

namespace heed::inspect {

struct RetryCount {
  int64_t suspicious = 0, better = 0;  // lines
};

/// Translates the lines whose best translation has flags again: with twice the beam and without
/// repeated trigrams, and those that still have some by the consensus of samples
/// (decoding.mbr), where terms or a sampling that is set do not forbid that. What has fewer flags
/// takes the place of the first translation and its details. `request`: as they were translated,
/// with an n_best of 1; `options.flags` is set. Warnings of these searches are not logged.
RetryCount retry_suspicious(const decode::LineTranslator& translator,
                            const decode::LinesRequest& request, const DetailOptions& options,
                            std::vector<decode::Translation>& translations,
                            std::vector<std::vector<Details>>& details);

}  // namespace heed::inspect
