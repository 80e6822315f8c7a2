// One alignment from those of two models, one trained in each direction.
#pragma once

#include "study/alignment.h"

namespace heed::study {

/// Source and target of every link exchanged.
Alignment turned_round(const Alignment& alignment);
GoldAlignment turned_round(const GoldAlignment& gold);

enum class Symmetrization { intersection, union_, grow_diag_final_and };

/// `forward` links each target word to a source word, `backward` each source word to a target word;
/// both as source-target. grow_diag_final_and (Koehn, Och and Marcu 2003; as Moses does it): from
/// the intersection, links of the union that touch one of it, diagonally too, and bring in a word
/// that has no link yet; then links of either side whose two words have none.
Alignment symmetrize(const Alignment& forward, const Alignment& backward, Symmetrization method);

}  // namespace heed::study
