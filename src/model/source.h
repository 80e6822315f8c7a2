// The texts of a batch as a model reads them.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "kernels/tensor.h"

namespace heed::model {

struct SentenceLayout;  // model/transformer/sentences.h
using SentencesPtr = std::shared_ptr<const SentenceLayout>;

/// The source side of one batch on the model's device.
struct Source {
  Tensor tokens;   // [batch, source] int64, padded at the end, each row ends with eos
  Tensor lengths;  // [batch] int64, always on the CPU, eos included, each >= 1; undefined off the
                   // CPU where `valid` alone says them
  Tensor valid;    // [batch, source] bool, false on padding
  /// The positions that are no padding, for a model that takes_unpadded(), which then reads neither
  /// `lengths` nor `valid`. nullptr: the model finds them itself.
  SentencesPtr unpadded = {};
};

/// The decoder's input with teacher forcing.
struct TargetInput {
  Tensor tokens;   // [batch, target] int64, bos first, padded at the end
  Tensor lengths;  // [batch] int64, always on the CPU, each >= 1; undefined: they are not known
  SentencesPtr unpadded = {};  // as Source::unpadded

  TargetInput() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): the tokens alone say all that a model needs.
  TargetInput(Tensor all_tokens, Tensor all_lengths = {})
      : tokens(std::move(all_tokens)), lengths(std::move(all_lengths)) {}
};

}  // namespace heed::model
