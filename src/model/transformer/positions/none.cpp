// Nothing: the encoder sees a set of words, and the decoder knows of order by its causal mask
// alone. Haviv et al. 2022; Kazemnejad et al. 2023.
#include <memory>

#include "model/transformer/positions/positions.h"

namespace heed::model {

PositionsPtr make_none(const PositionsSize&) {
  return std::make_shared<Positions>();
}

}  // namespace heed::model
