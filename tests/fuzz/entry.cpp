// libFuzzer's entry point, for the target that CMake names.
#include <cstddef>
#include <cstdint>

extern "C" int HEED_FUZZ_TARGET(const uint8_t* data, size_t size);
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return HEED_FUZZ_TARGET(data, size);
}
