#include <string>
#include <vector>

#include "base/error.h"
#include "kernels/normalisers/normaliser.h"

namespace heed::kernels {

const std::vector<Normaliser>& normalisers() {
  static const std::vector<Normaliser> all = {
#define HEED_NORMALISER(name, plain, help) {#name, name},
#include "kernels/normalisers/registry.def"
#undef HEED_NORMALISER
  };
  return all;
}

bool is_softmax(Normalise normalise) {
  return normalise == static_cast<Normalise>(&softmax);
}

Normalise normaliser(const std::string& name) {
  for (const Normaliser& one : normalisers())
    if (name == one.name) return one.normalise;
  throw UserError("model.attention_normaliser: nothing is called '{}'", name);
}

}  // namespace heed::kernels
