// Warnings for the user about lines and their translations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "decode/search/config.h"
#include "decode/search/encoded_lines.h"
#include "decode/search/lines_request.h"

namespace heed::decode {

/// The limits by which a translator reads and searches.
struct SearchBounds {
  const DecodeConfig& config;
  int64_t source_limit;  // pieces at which lines were cut, without eos
  int64_t longest;       // source or target that the models can take, with eos
  double usual_unknown;  // MemberText::usual_unknown of the first member
};

/// Returns the warnings of LinesResult::warnings, one sentence each, with the numbers of the lines.
std::vector<std::string> line_warnings(const EncodedLines& lines, const LineNumbers& numbers,
                                       const std::vector<Translation>& translations,
                                       const SearchBounds& bounds);

}  // namespace heed::decode
