// A damaged gzip archive, and the same bytes as text in a sound one.
#include "compressed.h"
#include "fuzz/lines.h"

using namespace heed;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string archive(fuzz::text_of(data, size));
  archive.replace(0, 2, "\x1F\x8B");
  fuzz::answers([&] { fuzz::read_clean_lines(archive); });
  fuzz::compare_with_archive(fuzz::text_of(data, size), gzip);
  return 0;
}
