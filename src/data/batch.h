// One padded batch of sentence pairs, as plain numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "data/links.h"
#include "data/origin.h"

namespace heed::data {

struct Example;  // data/example.h

/// Row-major [batch, source_length] and [batch, target_length], padded with `pad` at the end.
/// The source ends with eos, or with padding in its place where Example::source_end is false; an
/// empty one is eos anyway. target_input is bos + pieces, target_output is pieces + eos: one step
/// apart.
struct Batch {
  int64_t size = 0;           // sentences
  int64_t source_length = 0;  // of the longest source, with the position of eos
  int64_t target_length = 0;  // of the longest target, eos included
  std::vector<int64_t> source;
  std::vector<int64_t> target_input;
  std::vector<int64_t> target_output;
  std::vector<int64_t> source_lengths;  // [batch], eos included where it is read, each >= 1
  std::vector<int64_t> target_lengths;  // [batch], eos included
  std::vector<Origin> origins;          // [batch]
  // [batch]: links of pieces, each row's by target, then source; empty where no row has any.
  std::vector<std::vector<PieceLink>> links;

  int64_t source_tokens() const;  // without padding, eos included
  int64_t target_tokens() const;
};

/// Pads `examples` into one batch; pad, bos and eos are the vocabulary's (text/vocabulary.h).
Batch make_batch(const std::vector<const Example*>& examples);

/// A batch of rows [begin, end), padded to the longest of them only.
Batch rows_of(const Batch& batch, int64_t begin, int64_t end);

/// Cuts between rows into at most `count` parts of about the same number of tokens, source and
/// target together. Rows stay in their order: where they are sorted by length the parts are, too.
std::vector<Batch> parts_of(const Batch& batch, int64_t count);

}  // namespace heed::data
