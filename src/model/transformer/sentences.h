// Which positions of a tensor belong to one sentence, where some are padding and where none is.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/tensor.h"

namespace heed::model {

struct Source;
struct TargetInput;

/// The layout of a tensor x of sentences. Padded, x is [batch, length, ...], and `valid` says which
/// positions are no padding. Unpadded, x is [positions, ...]: one sentence after the other, and
/// nothing else.
struct SentenceLayout {
  Tensor valid;  // padded: [batch, 1, 1, length] bool; undefined: all

  std::vector<int64_t> lengths;  // unpadded: of each sentence, >= 1
  int64_t longest = 0;           // unpadded: the length that they were padded to
  Tensor positions;       // unpadded: [positions] int64, the index of each within its sentence
  Tensor padded_indices;  // unpadded: [positions] int64, the index of each in [batch * longest]
  Tensor starts;          // unpadded, on a GPU: [batch + 1] int32, as VarlenSentences

  bool unpadded() const { return !lengths.empty(); }
};

/// The unpadded layout of sentences of these lengths, which were padded to `longest`, for tensors
/// on `device`.
SentenceLayout sentence_layout(const std::vector<int64_t>& lengths, int64_t longest,
                               const at::Device& device);

/// The padded layout of a batch's sources.
SentenceLayout padded_source(const Source& source);

/// The unpadded layout of sources, and of targets: where a target's length is not given, it ends
/// with the last token of its row that is no padding.
SentenceLayout unpadded_source(const Source& source);
SentenceLayout unpadded_target(const TargetInput& input);

/// x [batch, longest, ...] -> [positions, ...]
Tensor remove_padding(const Tensor& x, const SentenceLayout& sentences);

/// x [positions, ...] -> [batch, longest, ...], zeros on padding.
Tensor pad(const Tensor& x, const SentenceLayout& sentences);

/// Returns which positions are no padding: [batch, longest] bool.
Tensor real_positions(const SentenceLayout& sentences);

}  // namespace heed::model
