// The kinds of attention and of other evidence: values of --kind, of the key `kind` of requests and
// tables, and parts of model.pruned_heads.
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

/// The kinds after rollout are other evidence (inspect/explain.h).
HEED_ENUM(AttentionKind, (cross, "The decoder's attention to the source."),
          (encoder, "The encoder's self-attention."), (decoder, "The decoder's self-attention."),
          (rollout, "All three, through all layers."), (saliency, "Gradient times input."),
          (integrated, "Integrated gradients."), (erasure, "What is lost without a source piece."))

/// The kinds of attention that a model computes.
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

/// The kind of this name; nothing where no kind has it.
inline std::optional<AttentionKind> attention_kind(std::string_view name) {
  const std::vector<std::string>& names = heed_enum_text(AttentionKind{}).names;
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<AttentionKind>(found - names.begin());
}

}  // namespace heed::config
