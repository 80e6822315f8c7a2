// HTML and XML, what is kept in texts, and both put into a translation.
#include "document/markup.h"

#include "document/inlays.h"
#include "fuzz/target.h"
#include "text/words.h"

using namespace heed;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view page = fuzz::text_of(data, size);
  const auto count = [](const std::string& text) {
    return static_cast<std::size_t>(text::count_words(text));
  };
  for (const auto kind :
       {document::MarkupKind::none, document::MarkupKind::html, document::MarkupKind::xml}) {
    const document::SegmentedText markup =
        document::read_markup(page, kind, text::kept_of(text::kKeptNames));
    std::vector<std::string> texts;
    for (const document::Segment& segment : markup.segments()) {
      const std::string translation = segment.text + "\u4F60 <x>";
      texts.push_back(document::with_inlays(
          segment, translation,
          document::diagonal_weights(count(translation), count(segment.text))));
      std::size_t bytes = translation.size();
      for (const document::Inlay& inlay : segment.inlays) {
        const std::size_t before = texts.back().find(inlay.before);
        expect(before != std::string::npos, "an inlay that is lost");
        expect(texts.back().find(inlay.after, before) != std::string::npos, "half of an inlay");
        bytes += inlay.before.size() + inlay.after.size();
      }
      expect(texts.back().size() >= bytes, "a text without all of its inlays");
    }
    const std::string out = markup.with(texts);
    if (page.find_first_of("\n\r") == std::string_view::npos)
      expect(out.find_first_of("\n\r") == std::string::npos, "a page of several lines");
  }
  return 0;
}
