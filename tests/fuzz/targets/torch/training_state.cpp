// The JSON of a checkpoint's training state.
#include "fuzz/target.h"
#include "train/progress.h"

using namespace heed;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::answers([&] {
    const auto progress =
        train::Progress::from_json(std::string(fuzz::text_of(data, size)), "input.heed");
    const std::string written = progress.to_json();
    expect(train::Progress::from_json(written, "written.heed").to_json() == written,
           "a state that is written as another");
  });
  return 0;
}
