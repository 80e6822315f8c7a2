// A safetensors file, of heed or of another program.
#include <ATen/ATen.h>

#include "fuzz/target.h"
#include "model/weights.h"

using namespace heed;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const fuzz::InputFile file(fuzz::text_of(data, size));
  for (const bool foreign : {false, true})
    fuzz::answers([&] {
      for (const auto& [name, tensor] : model::load_tensors(file.path(), foreign).tensors) {
        // Every byte that a tensor claims is there.
        expect(tensor.nbytes() <= size, "a tensor larger than its file");
        tensor.clone();
      }
    });
  return 0;
}
