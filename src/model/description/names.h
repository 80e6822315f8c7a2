// The names of modules, by which a model's weights are found (named_weights()): where they are
// registered, and where they are read out of a file.
#pragma once

#include <cstdint>
#include <string>

#include "model/description/config.h"

namespace heed::model {

/// Of every model: the output layer, and the embedding of a side.
inline constexpr const char* kOutputModule = "output";

inline const char* embedding_module(Tie tie, bool target) {
  if (tie == Tie::all) return "embedding";
  return target ? "target_embedding" : "source_embedding";
}

}  // namespace heed::model

/// Of a Transformer.
namespace heed::model::names {

// Of the model.
inline constexpr const char *kEncoder = "encoder", *kDecoder = "decoder";
inline constexpr const char *kSourcePositions = "source_positions",
                            *kTargetPositions = "target_positions";
// Of a layer, and of what is around its parts.
inline constexpr const char *kAttention = "attention", *kSelfAttention = "self_attention",
                            *kCrossAttention = "cross_attention", *kFeedForward = "feed_forward";
inline constexpr const char *kAroundAttention = "around_attention", *kAroundSelf = "around_self",
                            *kAroundCross = "around_cross",
                            *kAroundFeedForward = "around_feed_forward";
// Of these parts. kProjection: of queries, keys and values, of cross-attention the latter alone.
inline constexpr const char *kNorm = "norm", *kQuery = "query", *kProjection = "projection",
                            *kInner = "inner", *kOutput = "output";

inline std::string within(const std::string& module, const char* part) {
  return module + "." + part;
}

/// "encoder", "decoder"
inline std::string stack(bool decoder) {
  return decoder ? kDecoder : kEncoder;
}

/// "encoder.0"
inline std::string layer(bool decoder, int64_t number) {
  return stack(decoder) + "." + std::to_string(number);
}

/// "encoder.0.attention"
inline std::string attention(AttentionKind kind, int64_t number) {
  if (kind == AttentionKind::encoder) return within(layer(false, number), kAttention);
  return within(layer(true, number),
                kind == AttentionKind::decoder ? kSelfAttention : kCrossAttention);
}

/// "encoder.0.around_attention.norm"
inline std::string norm_of_attention(AttentionKind kind, int64_t number) {
  const bool decoder = kind != AttentionKind::encoder;
  const char* around = !decoder                         ? kAroundAttention
                       : kind == AttentionKind::decoder ? kAroundSelf
                                                        : kAroundCross;
  return within(within(layer(decoder, number), around), kNorm);
}

/// "encoder.0.feed_forward"
inline std::string feed_forward(bool decoder, int64_t number) {
  return within(layer(decoder, number), kFeedForward);
}

/// "encoder.0.around_feed_forward.norm"
inline std::string norm_of_feed_forward(bool decoder, int64_t number) {
  return within(within(layer(decoder, number), kAroundFeedForward), kNorm);
}

}  // namespace heed::model::names
