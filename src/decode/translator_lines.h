// What a Translator knows of the lines that it translates.
#pragma once

#include <cstdint>
#include <vector>

#include "data/batch.h"
#include "data/notice.h"
#include "decode/translator.h"

namespace heed::decode {

/// Piece ids of each line, once per distinct member.
struct Translator::Lines {
  std::vector<std::vector<data::Example>> members;  // [member][line]
  std::vector<int64_t> lengths;                     // longest over the members, without eos
  data::Notice cut;                                 // lines that were too long
  data::Notice strange;                             // those that no piece is known of
  int64_t pieces = 0, unknown = 0;                  // of the first member
  int64_t decomposed = 0;                           // lines with decomposed letters (NFD)
  std::vector<std::vector<int32_t>> prefixes;       // pieces; empty: no line has any
};

}  // namespace heed::decode
