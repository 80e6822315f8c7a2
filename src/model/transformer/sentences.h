// Which positions of a tensor belong to one sentence, where some are padding and where none is.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/tensor.h"

namespace heed::model {

struct Source;
struct TargetInput;

/// Padded, x is [batch, length, ...]: `valid` says what is no padding. Unpadded, x is [positions,
/// ...]: one sentence behind the other, and nothing else.
struct SentenceLayout {
  Tensor valid;  // padded: [batch, 1, 1, length] bool; undefined: all

  std::vector<int64_t> lengths;  // unpadded: of each sentence, >= 1
  int64_t longest = 0;           // unpadded: the length that they were padded to
  Tensor positions;              // unpadded: [positions] int64, of each within its sentence
  Tensor places;                 // unpadded: [positions] int64, of each in [batch * longest]
  Tensor starts;                 // unpadded, on a GPU: [batch + 1] int32, as VarlenSentences

  bool unpadded() const { return !lengths.empty(); }
};

/// Sentences of these lengths without what padded them to `longest`, for tensors on `device`.
SentenceLayout sentence_layout(const std::vector<int64_t>& lengths, int64_t longest,
                               const at::Device& device);

/// Of a batch's sources as they come, padded.
SentenceLayout padded_source(const Source& source);

/// The same without padding; of targets up to the last token of each row that is no padding, where
/// nobody says how long it is.
SentenceLayout unpadded_source(const Source& source);
SentenceLayout unpadded_target(const TargetInput& input);

/// x [batch, longest, ...] -> [positions, ...]
Tensor remove_padding(const Tensor& x, const SentenceLayout& sentences);

/// x [positions, ...] -> [batch, longest, ...], zeros on padding.
Tensor pad(const Tensor& x, const SentenceLayout& sentences);

/// Which of them are no padding: [batch, longest] bool.
Tensor real_positions(const SentenceLayout& sentences);

}  // namespace heed::model
