// NumPy's arrays: an archive of them, and one in a sound archive.
#include "exchange/archives.h"
#include "exchange/tensors.h"
#include "fuzz/target.h"

using namespace heed;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = fuzz::text_of(data, size);
  const std::string array = exchange::testing::zip({{"array.npy", std::string(bytes)}});
  for (const std::string_view file : {bytes, std::string_view(array)})
    fuzz::answers([&] {
      for (const auto& [name, tensor] : exchange::read_npz({file}, "model.npz"))
        if (model::is_float(tensor.type))
          fuzz::answers([&] { exchange::array_of(tensor, name).copy(); });
    });
  return 0;
}
