// Documents: what is not translated anew keeps its bytes.
#include "document/document.h"

#include <optional>

#include "base/error.h"
#include "document/inlays.h"
#include "fuzz/target.h"
#include "text/words.h"

using namespace heed;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(fuzz::text_of(data, size));
  const document::DocumentOptions options{
      .read = {.source_language = "en"},
      .fits = [](const std::string& text) { return text.size() < 100; }};
  const auto read =
      [&](const document::DocumentFormat& format) -> std::optional<document::Document> {
    try {
      return document::Document(bytes, format, options);
    } catch (const UserError&) {
      return std::nullopt;
    }
  };
  for (const document::DocumentFormat& format : document::document_formats()) {
    const auto found = read(format);
    if (!found) continue;
    const document::Document& document = *found;
    std::vector<std::string> same, others;
    const auto count = [](const std::string& text) {
      return static_cast<std::size_t>(text::count_words(text));
    };
    for (const document::Segment& segment : document.text().segments()) {
      same.push_back(document::with_inlays(segment, segment.text, {}));
      const std::string translation = segment.text + "\u4F60 <x>";
      others.push_back(document::with_inlays(
          segment, translation,
          document::diagonal_weights(count(translation), count(segment.text))));
      for (const document::Inlay& inlay : segment.inlays) {
        const std::size_t before = others.back().find(inlay.before);
        expect(inlay.needs_words || before != std::string::npos, "an inlay that is lost");
      }
    }
    expect(document.text().with(same) == bytes, "a document that changes");
    document.text().with(others);
  }
  return 0;
}
