// Where a sentence pair comes from.
#pragma once

#include <cstdint>

namespace heed::data {

/// Where a sentence pair comes from, for logs: corpus index and 1-based line; and its 0-based place
/// in the Corpus that holds it, which differs from the line where pairs before it were left out.
struct Origin {
  int32_t corpus = 0;
  int64_t line = 0;
  int64_t index = -1;
};

}  // namespace heed::data
