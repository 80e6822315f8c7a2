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

/// The vocabularies of an ensemble member and facts of its training. All members share the target
/// vocabulary.
struct MemberText {
  text::Vocabulary source, target;
  double usual_unknown = 0;    // share of unknown pieces among those of the training corpus
  int64_t trained_length = 0;  // data.max_length of the training: given pairs may be as long
  std::string source_language = {}, target_language = {};  // where the configuration names them
};

struct EncodedLines {
  std::vector<std::vector<data::Example>> members;  // [member][line]
  std::vector<int64_t> lengths;                     // longest over the members, without eos
  data::Notice cut;                                 // which lines were too long and were cut
  data::Notice strange;                             // lines of which no piece is known
  int64_t pieces = 0, unknown = 0;                  // in the lines, by the first member
  int64_t decomposed = 0;                           // lines with decomposed letters (NFD)
  // One for each line, in pieces. Empty: no line has one.
  std::vector<std::vector<int32_t>> prefixes;
  // One list for each line. Empty: the search is not constrained.
  std::vector<std::vector<TermPieces>> terms;
};

/// Encodes each line with the vocabulary of each member, at most its first `most` pieces; where a
/// line has more, its `lengths` is `most` + 1. The terms of `glossary` are marked in the lines
/// (Glossary::is_inline()); null: none are. Lines that are `unread` have no pieces; empty: none
/// are.
EncodedLines encode_lines(std::span<const MemberText> members,
                          const std::vector<std::string>& lines, const LineNumbers& numbers,
                          const Glossary* glossary, int64_t most,
                          const std::vector<bool>& unread = {});

}  // namespace heed::decode
