// Documents: what is not translated anew keeps its bytes.
#include "text/document.h"

#include "fuzz/target.h"
#include "text/inlays.h"
#include "text/words.h"

using namespace heed;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(fuzz::text_of(data, size));
  for (const text::DocumentFormat& format : text::document_formats()) {
    const text::Document document(bytes, format.name, "en",
                                  [](const std::string& text) { return text.size() < 100; });
    std::vector<std::string> same, others;
    const auto count = [](const std::string& text) {
      return static_cast<std::size_t>(text::count_words(text));
    };
    for (const text::Segment& segment : document.text().segments()) {
      same.push_back(text::with_inlays(segment, segment.text, {}));
      const std::string translation = segment.text + "\u4F60 <x>";
      others.push_back(text::with_inlays(
          segment, translation, text::diagonal_weights(count(translation), count(segment.text))));
      for (const text::Inlay& inlay : segment.inlays) {
        const std::size_t before = others.back().find(inlay.before);
        expect(inlay.needs_words || before != std::string::npos, "an inlay that is lost");
      }
    }
    expect(document.text().with(same) == bytes, "a document that changes");
    document.text().with(others);
  }
  return 0;
}
