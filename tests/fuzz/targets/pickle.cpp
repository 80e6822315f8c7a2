// A file of torch.save(), and a pickle in a sound one.
#include "exchange/archives.h"
#include "exchange/tensors.h"
#include "exchange/torch_file.h"
#include "fuzz/target.h"

using namespace heed;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = fuzz::text_of(data, size);
  std::vector<exchange::testing::Zipped> files = {{"m/data.pkl", std::string(bytes)}};
  for (char key = '0'; key < '7'; ++key)
    files.push_back({std::string("m/data/") + key, std::string(48, '\0')});
  const std::string pickle = exchange::testing::zip(files);
  for (const std::string_view file : {bytes, std::string_view(pickle)})
    fuzz::answers([&] {
      for (const auto& [name, tensor] : exchange::read_pickle({file}, "pytorch_model.bin")) {
        expect(tensor.bytes.view.size() <= file.size(), "a tensor larger than its file");
        if (model::is_float(tensor.type))
          fuzz::answers([&] { exchange::array_of(tensor, name).copy(); });
      }
    });
  return 0;
}
