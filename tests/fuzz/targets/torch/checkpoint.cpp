// A checkpoint whose checksum is right: a header's JSON, a line feed, the tensors' bytes.
#include "train/checkpoint.h"

#include <zlib.h>

#include <cstdio>

#include "fuzz/target.h"

using namespace heed;

namespace {

/// The safetensors file of this header and these bytes. Where the header has a checksum its eight
/// digits are set right.
std::string sealed(std::string header, std::string_view bytes) {
  constexpr std::string_view kField = "\"checksum\":\"crc32:";
  const uint64_t length = header.size();
  const std::string begin(reinterpret_cast<const char*>(&length), sizeof length);
  const std::size_t digits = header.find(kField) + kField.size();
  if (header.find(kField) != std::string::npos && digits + 8 <= header.size()) {
    header.replace(digits, 8, "00000000");
    const std::string whole = begin + header + std::string(bytes);
    char text[9];
    std::snprintf(text, sizeof text, "%08lx",
                  crc32_z(0, reinterpret_cast<const Bytef*>(whole.data()), whole.size()));
    header.replace(digits, 8, text);
  }
  return begin + header + std::string(bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input = fuzz::text_of(data, size);
  const std::size_t end = std::min(input.find('\n'), input.size());
  const std::string_view bytes = input.substr(std::min(end + 1, input.size()));
  const fuzz::InputFile file(sealed(std::string(input.substr(0, end)), bytes));
  fuzz::answers([&] { train::load_checkpoint(file.path()).progress.to_json(); });
  fuzz::answers([&] { train::read_weights(file.path()); });
  return 0;
}
