// The functions of heed.wasm that a page calls (draw/page/engine.js). The page writes each text and
// file into memory from room(), which belongs to this program from the next call on.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/weights.h"
#include "model/description/safetensors_file.h"
#include "model/description/safetensors_header.h"
#include "text/vocabulary.h"
#include "web/alone.h"
#include "web/settings.h"

#define HEED_PAGE_CALLS(name) extern "C" [[clang::export_name(#name)]]

namespace {

std::optional<heed::web::Alone> model;
std::string answered;

/// The bytes of one argument, which are freed with their last copy.
struct ReceivedBytes {
  ReceivedBytes(const char* begin, std::size_t bytes) : data(begin), size(bytes) {}

  std::string_view view() const { return {data.get(), size}; }
  std::string text() const { return std::string(view()); }

  std::shared_ptr<const char[]> data;
  std::size_t size;
};

}  // namespace

HEED_PAGE_CALLS(room) char* room(std::size_t bytes) {
  return new char[bytes];
}

namespace {

heed::engine::Weights weights_of(const ReceivedBytes& bytes) {
  const char* const name = "the weights";
  const std::string_view header = heed::model::header_of(bytes.view(), name);
  const std::string_view data = bytes.view().substr(heed::model::kLengthBytes + header.size());
  return heed::engine::weights_in({heed::model::parse_header(header, std::ssize(data), name),
                                   const_cast<char*>(data.data()), bytes.data},
                                  name);
}

}  // namespace

HEED_PAGE_CALLS(load)
void load(const char* settings, std::size_t settings_bytes, const char* weights,
          std::size_t weights_bytes, const char* source, std::size_t source_bytes,
          const char* target, std::size_t target_bytes) {
  using heed::text::Vocabulary;
  model.emplace(
      heed::web::settings_from(ReceivedBytes{settings, settings_bytes}.text()),
      weights_of({weights, weights_bytes}),
      Vocabulary::from_model(ReceivedBytes{source, source_bytes}.text(), "the source vocabulary"),
      Vocabulary::from_model(ReceivedBytes{target, target_bytes}.text(), "the target vocabulary"));
}

/// The answer to a question, as JSON that ends with a byte 0 and stays valid until the next call.
HEED_PAGE_CALLS(answer) const char* answer(const char* question, std::size_t bytes) {
  answered = model->answer(ReceivedBytes{question, bytes}.text());
  return answered.c_str();
}
