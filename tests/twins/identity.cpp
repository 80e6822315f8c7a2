// identity FORMAT FILE...: documents whose translations are their texts. Of each file one line of
// JSON: the texts that a model would see, and whether the document is as it was; or what it is
// refused for. For tests/twins/test_public_documents.py.
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "document/document.h"
#include "document/format.h"
#include "document/inlays.h"

namespace {

using namespace heed;

nlohmann::json identity(const std::string& bytes, const document::DocumentFormat& format) {
  const document::Document read(bytes, format, {.read = {.source_language = "en"}});
  std::vector<std::string> texts, written;
  for (const document::Segment& segment : read.text().segments()) {
    texts.push_back(segment.text);
    written.push_back(document::with_inlays(segment, segment.text, {}));
  }
  return {{"texts", texts}, {"same", read.text().with(written) == bytes}};
}

}  // namespace

int main(int count, char** arguments) {
  const document::DocumentFormat* const format =
      count > 1 ? document::format_named(arguments[1]) : nullptr;
  if (format == nullptr) {
    std::cerr << "identity FORMAT FILE...\n";
    return 2;
  }
  for (int i = 2; i < count; ++i) {
    nlohmann::json said;
    try {
      said = identity(read_file(arguments[i]), *format);
    } catch (const UserError& error) {
      said["refused"] = error.what();
    }
    std::cout << said.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  }
}
