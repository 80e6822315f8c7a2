// Lines as the pieces that the models of a translator read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/notice.h"
#include "decode/search/constraints.h"
#include "decode/search/glossary.h"
#include "decode/search/lines_request.h"
#include "text/vocabulary.h"

namespace heed::data {
struct Example;  // data/example.h
}  // namespace heed::data

namespace heed::decode {

/// What an ensemble member reads and writes. All members share the target vocabulary.
struct MemberText {
  text::Vocabulary source, target;
  double usual_unknown = 0;    // share of unknown pieces among those of the training corpus
  int64_t trained_length = 0;  // data.max_length of the training: given pairs may be as long
};

struct EncodedLines {
  std::vector<std::vector<data::Example>> members;  // [member][line]
  std::vector<int64_t> lengths;                     // longest over the members, without eos
  data::Notice cut;                                 // lines that were too long
  data::Notice strange;                             // those that no piece is known of
  int64_t pieces = 0, unknown = 0;                  // of the first member
  int64_t decomposed = 0;                           // lines with decomposed letters (NFD)
  std::vector<std::vector<int32_t>> prefixes;       // pieces; empty: no line has any
  std::vector<std::vector<TermPieces>> terms;       // empty: the search knows of none
};

/// Of each line `most` pieces at the most; `lengths` has one more where there are more. `glossary`:
/// terms that are marked in the lines (Glossary::is_inline()); null: none.
EncodedLines encode_lines(std::span<const MemberText> members,
                          const std::vector<std::string>& lines, const LineNumbers& numbers,
                          const Glossary* glossary, int64_t most);

}  // namespace heed::decode
