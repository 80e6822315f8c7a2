// The kinds of attention, and what is shown in its place: values of --kind, of the key `kind` of
// requests and tables, and parts of model.pruned_heads.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/schema.h"

namespace heed::config {

///   cross       the decoder's attention to the source
///   encoder     the encoder's self-attention
///   decoder     the decoder's self-attention
///   rollout     all three, through all layers (study/rollout.h)
///   saliency, integrated, erasure
///               other evidence: what the output depends on (inspect/explain.h)
HEED_ENUM(AttentionKind, cross, encoder, decoder, rollout, saliency, integrated, erasure)

/// Those that a model computes.
inline constexpr std::array kAttentionKinds{AttentionKind::cross, AttentionKind::encoder,
                                            AttentionKind::decoder};

constexpr bool is_attention(AttentionKind kind) {
  return std::ranges::find(kAttentionKinds, kind) != kAttentionKinds.end();
}

constexpr bool is_evidence(AttentionKind kind) {
  return kind == AttentionKind::saliency || kind == AttentionKind::integrated ||
         kind == AttentionKind::erasure;
}

inline std::vector<std::string> names_of(std::span<const AttentionKind> kinds) {
  std::vector<std::string> names;
  for (const AttentionKind kind : kinds) names.push_back(name_of(kind));
  return names;
}

/// The kind of this name; nothing where there is none.
inline std::optional<AttentionKind> attention_kind(std::string_view name) {
  const std::vector<std::string>& names = heed_enum_names(AttentionKind{});
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<AttentionKind>(found - names.begin());
}

}  // namespace heed::config
