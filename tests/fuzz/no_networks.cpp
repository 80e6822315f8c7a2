// What only networks need, for a program that builds none.
#include "engine/network.h"

namespace heed::engine {

bool has_network(const model::ModelConfig&) {
  return true;
}

}  // namespace heed::engine
