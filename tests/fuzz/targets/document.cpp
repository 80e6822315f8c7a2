// Documents: what is not translated anew keeps its bytes, and what was filled is not filled again.
#include "document/document.h"

#include <optional>

#include "base/error.h"
#include "base/strings.h"
#include "document/inlays.h"
#include "fuzz/target.h"
#include "text/words.h"

using namespace heed;

namespace {

/// None: it is no document of this format.
std::optional<document::Document> read(const std::string& bytes,
                                       const document::DocumentFormat& format) {
  const auto fits = [](const std::string& text) { return text.size() < 100; };
  try {
    return document::Document(
        bytes, format,
        {.read = {.source_language = "en", .target_language = "de", .columns = {"1"}},
         .fits = fits});
  } catch (const UserError&) {
    return std::nullopt;
  }
}

std::string unchanged(const document::Document& document) {
  std::vector<std::string> same;
  for (const document::Segment& segment : document.text().segments())
    same.push_back(document::with_inlays(segment, segment.text, {}));
  return document.text().with(same);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(fuzz::text_of(data, size));
  for (const document::DocumentFormat& format : document::document_formats()) {
    const auto document = read(bytes, format);
    if (!document) continue;
    std::vector<std::string> others;
    const auto count = [](const std::string& text) {
      return static_cast<std::size_t>(text::count_words(text));
    };
    for (const document::Segment& segment : document->text().segments()) {
      const std::string translation = segment.text + "\u4F60 <x>";
      others.push_back(document::with_inlays(
          segment, translation,
          document::diagonal_weights(count(translation), count(segment.text))));
      for (const document::Inlay& inlay : segment.inlays) {
        // A blank directly inside of a tag goes where a line ends or punctuation follows.
        const std::string_view tag =
            std::string_view(inlay.before).substr(0, inlay.before.size() - inlay.first_blank);
        const std::size_t before = others.back().find(trim(tag));
        expect(inlay.needs_words || before != std::string::npos, "an inlay that is lost");
      }
    }
    const std::string same = unchanged(*document);
    if (same != bytes) {
      const auto again = read(same, format);
      expect(again.has_value(), "a filled document that cannot be read");
      expect(unchanged(*again) == same, "a document that changes");
    }
    document->text().with(others);
  }
  return 0;
}
