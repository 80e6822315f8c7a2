// Documents: what is not translated anew keeps its bytes.
#include "text/document.h"

#include "fuzz/target.h"

using namespace heed;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(fuzz::text_of(data, size));
  for (const text::DocumentFormat& format : text::document_formats()) {
    const text::Document document(bytes, format.name, "en",
                                  [](const std::string& text) { return text.size() < 100; });
    expect(document.with(document.texts()) == bytes, "a document that changes");
  }
  return 0;
}
