// Stand-ins for functions that the rooms of heed.wasm call and a page does not need: the log,
// files, and the checksums and forms of Unicode that serve warnings and ensembles.
#include <zlib.h>

#include <string>
#include <string_view>

#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "text/normal_form.h"

namespace heed {

void log::debug(const std::string&) {}
void log::info(const std::string&) {}
void log::warn(const std::string&) {}

void require_file(const std::string& path, const std::string& what) {
  throw UserError("{}: {}: a page reads no files", what, path);
}

std::string read_file(const std::string& path) {
  throw UserError(path + ": a page reads no files");
}

bool text::is_decomposed(std::string_view) {
  return false;
}

std::string text::with_usual_forms(std::string_view text) {
  return std::string(text);
}

std::string text::to_nfc(std::string_view text) {
  return std::string(text);
}

}  // namespace heed

extern "C" uLong crc32_z(uLong, const Bytef*, z_size_t) {
  return 0;
}
