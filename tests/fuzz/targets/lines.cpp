// A file of any kind as lines.
#include "fuzz/lines.h"

using namespace heed;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::answers([&] { fuzz::read_clean_lines(fuzz::text_of(data, size)); });
  return 0;
}
