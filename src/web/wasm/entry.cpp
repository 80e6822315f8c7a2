// What a page calls of heed.wasm (draw/page/play_alone.js). A file or a question lies where room()
// said, and is this program's from then on.
#include <cstddef>
#include <optional>
#include <string>

#include "web/alone.h"

namespace {

std::optional<heed::web::Alone> model;
std::string answered;

}  // namespace

#define HEED_PAGE_CALLS(name) extern "C" [[clang::export_name(#name)]]

HEED_PAGE_CALLS(room) char* room(std::size_t bytes) {
  return new char[bytes];
}

HEED_PAGE_CALLS(load)
void load(const char* settings, std::size_t settings_bytes, const char* weights,
          std::size_t weights_bytes, const char* source, std::size_t source_bytes,
          const char* target, std::size_t target_bytes) {
}

/// JSON that ends with 0 and stays until the next call.
HEED_PAGE_CALLS(answer) const char* answer(char* question, std::size_t bytes) {
  answered = model->answer({question, bytes});
  delete[] question;
  return answered.c_str();
}
