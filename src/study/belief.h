// Which pictures of attention may be believed, of what `heed faithful` has measured. Knows nothing
// of LibTorch.
#pragma once

#include <optional>
#include <vector>

#include "study/faithful.h"

namespace heed::study {

/// A head moves the output if permuting its weights moves the distribution by so much on average
/// (total variation distance).
inline constexpr double kMoves = 0.05;

enum class Belief {
  believed,  // agrees, and moves the output
  agrees,    // alone
  moves,     // alone
  neither,
  measure,  // saliency and erasure, with which the others are compared
};

/// One head, a mean of heads, or another kind of evidence.
struct Picture {
  FaithfulRow row;
  std::optional<Mean> saliency, erasure, entropy, moved;  // `moved` of single heads alone
  Belief belief = Belief::neither;

  bool is_head() const { return row.kind == AttentionKind::cross && row.head >= 0; }
};

struct Pictures {
  /// The most believable first, and saliency and erasure last. A layer with one head has no mean.
  std::vector<Picture> all;
  /// Tau of saliency with erasure. A picture agrees if its tau with either is above 0 and not below
  /// this one, as far as the intervals tell.
  std::optional<Mean> measure;
};

Pictures judge(const FaithfulReport& report);

}  // namespace heed::study
