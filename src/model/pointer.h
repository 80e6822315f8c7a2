// A model that is only handed on: for headers that need not see what a model can do (model.h), and
// compile without LibTorch's.
#pragma once

#include <memory>

namespace heed::model {

class Model;
using ModelPtr = std::shared_ptr<Model>;

/// Which attention: the encoder's or the decoder's to itself, or the decoder's to the source.
enum class AttentionKind { kEncoder, kDecoder, kCross };

/// "encoder", "decoder" or "cross".
constexpr const char* name_of(AttentionKind kind) {
  if (kind == AttentionKind::kEncoder) return "encoder";
  return kind == AttentionKind::kDecoder ? "decoder" : "cross";
}

}  // namespace heed::model
