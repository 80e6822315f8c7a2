// The origin of a sentence pair.
#pragma once

#include <cstdint>

namespace heed::data {

/// The origin of a sentence pair, for logs: the index of its corpus and its line, from 1; and its
/// index in the Corpus that holds it, from 0, which differs from the line where pairs before it
/// were left out.
struct Origin {
  int32_t corpus = 0;
  int64_t line = 0;
  int64_t index = -1;
};

}  // namespace heed::data
