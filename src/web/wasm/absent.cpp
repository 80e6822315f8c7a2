// What the rooms of heed.wasm name and a page has no use for: a log, files, and checksums and forms
// of Unicode, which are there for warnings and ensembles.
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

std::string read_file(const std::string& path) {
  throw UserError(path + ": a page reads no files");
}

bool text::is_decomposed(std::string_view) {
  return false;
}

}  // namespace heed

extern "C" uLong crc32_z(uLong, const Bytef*, z_size_t) {
  return 0;
}
