// A binary file of Marian.
#include "exchange/marian_bin.h"

#include "exchange/tensors.h"
#include "fuzz/target.h"

using namespace heed;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::answers([&] {
    for (const auto& [name, tensor] :
         exchange::read_marian_bin({fuzz::text_of(data, size)}, "model.bin"))
      if (model::is_float(tensor.type))
        fuzz::answers([&] { exchange::array_of(tensor, name).copy(); });
  });
  return 0;
}
